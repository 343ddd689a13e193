import AcctTestSupport

/// Whether OpenSSL verifies a signature of a digest.
///
/// - Parameters:
///   - line: What the tool printed: `signed`, and r and s in hexadecimal digits.
///   - digest: 32 bytes.
///   - key: The public key.
/// - Returns: Whether it does.
/// - Throws: What keeps OpenSSL from being asked.
func opensslVerifies(_ line: String, of digest: [UInt8], by key: PrintedKey) async throws -> Bool {
  let digits = line.split(separator: " ").last ?? ""
  guard line.hasPrefix("signed "), digits.count == 128 else { return false }
  let folder = try TemporaryFolder()
  // SubjectPublicKeyInfo of a key on P-256 (RFC 5480).
  let head = "3059301306072a8648ce3d020106082a8648ce3d03010703420004"
  let publicKey = try folder.file("key", containing: [UInt8](hex: head + key.x + key.y))
  let numbers = [digits.prefix(64), digits.suffix(64)].map { integer([UInt8](hex: $0)) }
  let body = numbers[0] + numbers[1]
  let signature = try folder.file("signature", containing: [0x30, UInt8(body.count)] + body)
  let signed = try folder.file("digest", containing: digest)
  let verified = try await ChildProcess(
    "openssl",
    ["pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", publicKey, "-in", signed, "-sigfile", signature]
  ).run()
  return verified.status == 0
}

/// DER of an INTEGER that is not negative.
private func integer(_ bytes: [UInt8]) -> [UInt8] {
  var digits = Array(bytes.drop { $0 == 0 })
  if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
  return [0x02, UInt8(digits.count)] + digits
}
