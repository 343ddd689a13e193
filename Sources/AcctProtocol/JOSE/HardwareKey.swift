import AcctCrypto
package import AcctModel

/// A DPoP key that never leaves its device: its public part, and a way to have something signed.
package struct HardwareKey: Sendable {
  /// Signs a SHA-256 digest of 32 bytes; returns r and s, 32 bytes each.
  package typealias Sign = @Sendable (_ digest: [UInt8]) async throws(HardwareKeyFailure) -> [UInt8]

  /// What is kept of it.
  package let stored: StoredHardwareKey
  private let signDigest: Sign

  package init(_ stored: StoredHardwareKey, sign: @escaping Sign) {
    self.stored = stored
    signDigest = sign
  }

  /// Signs something that is of no use, to see whether the key can be used.
  package func tryOut() async throws(HardwareKeyFailure) { _ = try await sign([]) }

  /// Signs with ES256 (RFC 7518, section 3.4), and verifies the signature: one that is wrong must not reach
  /// a server, which would say that the token is not this key's.
  func sign(_ message: [UInt8]) async throws(HardwareKeyFailure) -> [UInt8] {
    let signature = try await signDigest(SHA256.hash(message.span))
    guard stored.publicKey.isValidSignature(signature, of: message.span) else {
      throw .malformedReply(reason: "the signature is not one of this key")
    }
    return signature
  }
}
