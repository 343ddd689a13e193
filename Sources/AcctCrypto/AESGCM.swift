package import Secrets
import COpenSSL

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D), with a nonce of 96 bits and a tag of 128.
///
/// A nonce must never be used twice with one key; the caller draws a fresh one for each message.
package enum AESGCM {
  package static let keyCount = 32
  package static let nonceCount = 12
  package static let tagCount = 16

  /// Encrypts and authenticates.
  ///
  /// - Parameters:
  ///   - plaintext: The bytes to encrypt.
  ///   - key: 32 bytes.
  ///   - nonce: 12 bytes, never used before with this key.
  ///   - associatedData: The bytes that are authenticated with it and stay readable.
  /// - Returns: The ciphertext, as long as the plaintext, and the 16 bytes of the tag behind it.
  /// - Throws: ``CryptoError/wrongLength``, ``CryptoError/notConfigured`` or
  ///   ``CryptoError/libraryFailed``.
  package static func seal(
    _ plaintext: Secret,
    key: Secret,
    nonce: [UInt8],
    associatedData: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    let cipher = try GCMContext(.encrypt, key: key, nonce: nonce)
    try cipher.authenticate(associatedData)
    var sealed = try plaintext.withBytes { bytes throws(CryptoError) in try cipher.update(bytes) }
    sealed.append(contentsOf: try cipher.finishedTag())
    return sealed
  }

  /// Decrypts what ``seal(_:key:nonce:associatedData:)`` made, if it is unmodified.
  ///
  /// - Parameters:
  ///   - sealed: The ciphertext and the tag behind it.
  ///   - key: 32 bytes.
  ///   - nonce: The 12 bytes that it was sealed with.
  ///   - associatedData: The bytes that were authenticated with it.
  /// - Returns: The plaintext; nothing of it is given out before the tag has been checked.
  /// - Throws: ``CryptoError/authenticationFailed``, ``CryptoError/wrongLength``,
  ///   ``CryptoError/notConfigured`` or ``CryptoError/libraryFailed``.
  package static func open(
    _ sealed: [UInt8],
    key: Secret,
    nonce: [UInt8],
    associatedData: [UInt8]
  ) throws(CryptoError) -> Secret {
    guard sealed.count >= tagCount else { throw .authenticationFailed }
    let cipher = try GCMContext(.decrypt, key: key, nonce: nonce)
    try cipher.authenticate(associatedData)
    let end = sealed.count - tagCount
    var plaintext = try cipher.update(sealed.span.extracting(..<end))
    defer { wipe(&plaintext) }
    try cipher.finish(checking: Array(sealed[end...]))
    return Secret(consuming: &plaintext)
  }
}
