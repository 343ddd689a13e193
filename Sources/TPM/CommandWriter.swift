import AcctModel
import Secrets

/// A command in the form that a TPM takes (TPM 2.0 Library, Part 1 §18 and Part 3 §5).
///
/// Numbers are big-endian; the header is tag, size and command code. ``wipe()`` wipes a PIN or a secret in it.
struct CommandWriter {
  let code: CommandCode
  /// The whole command, after ``finish()``.
  private(set) var bytes: [UInt8]

  /// Begins a command with a handle and, where it needs one, a password for it.
  ///
  /// A password is a session of its own kind (TPMS_AUTH_COMMAND, Part 2 §10.13.2): the handle
  /// TPM_RS_PW, no nonce, no attributes, and the password where another session has an HMAC.
  init(_ code: CommandCode, handle: UInt32? = nil, password: Secret? = nil) {
    self.code = code
    bytes = []
    // The largest command has 600 bytes; one that grew would leave a copy of its PIN behind.
    bytes.reserveCapacity(1024)
    uint16(code.isAuthorized ? StructureTag.sessions : StructureTag.noSessions)
    uint32(0)
    uint32(code.rawValue)
    if let handle { uint32(handle) }
    guard code.isAuthorized else { return }
    uint32(UInt32(9 + (password?.count ?? 0)))
    uint32(Handle.password)
    uint16(0)
    byte(0)
    sized(password)
  }

  /// Writes the size into the header, when nothing follows.
  mutating func finish() {
    let count = UInt32(bytes.count)
    for place in 0..<4 { bytes[2 + place] = UInt8(truncatingIfNeeded: count >> UInt32(24 - 8 * place)) }
  }

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func uint16(_ value: UInt16) {
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
    bytes.append(UInt8(truncatingIfNeeded: value))
  }

  mutating func uint32(_ value: UInt32) {
    uint16(UInt16(truncatingIfNeeded: value >> 16))
    uint16(UInt16(truncatingIfNeeded: value))
  }

  mutating func raw(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// Writes bytes with their count before them, as every TPM2B does.
  mutating func sized(_ more: [UInt8]) {
    uint16(UInt16(truncatingIfNeeded: more.count))
    bytes.append(contentsOf: more)
  }

  /// Writes a secret as a TPM2B; an empty one for none.
  mutating func sized(_ secret: Secret?) {
    guard let secret else { return uint16(0) }
    uint16(UInt16(truncatingIfNeeded: secret.count))
    secret.withBytes { span in
      for index in span.indices { bytes.append(span[index]) }
    }
  }

  /// Overwrites the command.
  mutating func wipe() { Secrets.wipe(&bytes) }
}
