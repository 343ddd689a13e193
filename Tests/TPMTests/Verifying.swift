import AcctModel
import Secrets
import AcctPorts
import KeyDevices
import AcctTestSupport
import Synchronization
import TPM
import Testing

/// SHA-256 of nothing in particular.
let digest = (0..<32).map { UInt8($0 * 7 + 1) }

/// A person who has one PIN, and counts how often it was asked for.
final class PINHolder: Sendable {
  let asked = Mutex<[PINRequest]>([])
  private let pin: String

  init(_ pin: String) { self.pin = pin }

  var keyHolder: KeyHolder {
    KeyHolder(
      pin: { [self] request throws(HardwareKeyFailure) in
        asked.withLock { $0.append(request) }
        return Secret(pin)
      },
      touch: {}
    )
  }
}

extension HardwareKeyPoint {
  /// SubjectPublicKeyInfo of it (RFC 5480).
  var publicKeyInfo: [UInt8] {
    let head: [UInt8] = [
      0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
      0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]
    return head + x + y
  }

  /// Whether OpenSSL, which has no part in the TPM, verifies r and s over ``digest``.
  func verifies(_ signature: [UInt8]) async throws -> Bool {
    let r = integer(signature.prefix(32))
    let s = integer(signature.suffix(32))
    let der = [0x30, UInt8(r.count + s.count)] + r + s
    return try await verifies(der: der)
  }

  func verifies(der: [UInt8]) async throws -> Bool {
    let folder = try TemporaryFolder()
    let key = try folder.file("key", containing: publicKeyInfo)
    let signature = try folder.file("signature", containing: der)
    let input = try folder.file("digest", containing: digest)
    let done = try await ChildProcess(
      "openssl",
      ["pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", key, "-sigfile", signature, "-in", input]
    ).run()
    return done.status == 0
  }
}

private func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
  var digits = Array(bytes.drop { $0 == 0 })
  if digits.first ?? 0x80 >= 0x80 { digits.insert(0, at: 0) }
  return [0x02, UInt8(digits.count)] + digits
}

/// A PEM with the DER, in lines of 64 characters.
func pem(_ der: [UInt8]) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  var text = ""
  for start in stride(from: 0, to: der.count, by: 3) {
    let three = Array(der[start..<min(start + 3, der.count)])
    let bits = (0..<3).reduce(0) { $0 << 8 | (($1 < three.count) ? Int(three[$1]) : 0) }
    for place in 0..<4 { text.append(place <= three.count ? alphabet[bits >> (18 - 6 * place) & 63] : "=") }
  }
  var lines = ""
  while !text.isEmpty {
    lines += text.prefix(64) + "\n"
    text.removeFirst(min(64, text.count))
  }
  return "-----BEGIN TSS2 PRIVATE KEY-----\n\(lines)-----END TSS2 PRIVATE KEY-----\n"
}

/// The DER in a PEM.
func der(_ pem: String) -> [UInt8] {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  var bytes: [UInt8] = []
  var (bits, count) = (0, 0)
  for line in pem.split(separator: "\n") where !line.hasPrefix("-") {
    for character in line {
      guard let value = alphabet.firstIndex(of: character) else { continue }
      bits = (bits << 6 | value) & 0xFFFF
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
  }
  return bytes
}
