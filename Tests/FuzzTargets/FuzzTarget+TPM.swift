import Secrets
import AcctModel
import AcctPorts
import KeyDevices
import TPM

/// A TPM's reply, read as the one to the command that the first byte selects.
func tpmReplyViolation(_ bytes: [UInt8]) -> String? {
  guard let first = bytes.first else { return nil }
  let command = CommandCode.allCases[Int(first) % CommandCode.allCases.count]
  let size = bytes.count - 1
  guard let reply = try? Reply(Array(bytes.dropFirst()), to: command) else { return nil }
  if let signature = try? reply.signature(), signature.count != 64 { return "half a signature" }
  if let shared = try? reply.agreement(), shared.count != 32 { return "half a shared secret" }
  if let data = try? reply.unsealed(), data.count > min(size, 128) { return "too long a secret" }
  if let made = try? reply.created(), made.privatePart.count + made.publicPart.count > size {
    return "an object longer than the reply"
  }
  if let handles = try? reply.handles(), 4 * handles.count > size { return "too many handles" }
  if let properties = try? reply.properties(), 8 * properties.count > size { return "too many properties" }
  return nil
}

/// The DER of a TSS2 private key.
func tpmKeyViolation(_ bytes: [UInt8]) -> String? {
  guard let file = try? KeyFile(der: bytes) else { return nil }
  // What was passed over, such as a description, is not written again.
  guard let again = try? KeyFile(der: file.der), again == file else {
    return "written and read again, it is another file"
  }
  if let point = try? file.agreementPoint {
    guard point.x.count == 32, point.y.count == 32 else { return "half a point" }
    guard (try? TPMKey(file)) == nil else { return "a key that agrees and signs" }
  }
  guard let key = try? TPMKey(file) else { return nil }
  guard key.point.x.count == 32, key.point.y.count == 32 else { return "half a point" }
  return key.hasPIN == !file.emptyAuth ? nil : "another PIN than the file says"
}
