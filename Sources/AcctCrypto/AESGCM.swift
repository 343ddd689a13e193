import COpenSSL
package import Secrets

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

/// One run of OpenSSL's AES-256-GCM: associated data, then the text, then the tag.
///
/// OpenSSL wipes the key schedule when the context is freed.
@safe struct GCMContext: ~Copyable {
  enum Direction: Int32 { case decrypt = 0, encrypt = 1 }

  private let context: OpaquePointer

  init(_ direction: Direction, key: Secret, nonce: [UInt8]) throws(CryptoError) {
    guard key.count == AESGCM.keyCount, nonce.count == AESGCM.nonceCount else { throw .wrongLength }
    guard Library.isConfigured else { throw .notConfigured }
    // By the name that every provider has it under.
    guard let cipher = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else { throw .libraryFailed }
    // The context keeps a reference.
    defer { unsafe EVP_CIPHER_free(cipher) }
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .libraryFailed }
    let done = key.withBytes { key in
      unsafe key.withUnsafeBufferPointer { key in
        unsafe EVP_CipherInit_ex2(context, cipher, key.baseAddress, nonce, direction.rawValue, nil)
      }
    }
    guard done == 1 else {
      unsafe EVP_CIPHER_CTX_free(context)
      throw .libraryFailed
    }
    unsafe self.context = context
  }

  deinit { unsafe EVP_CIPHER_CTX_free(context) }

  /// Takes in the data that are authenticated and not encrypted.
  func authenticate(_ data: [UInt8]) throws(CryptoError) {
    guard let count = Int32(exactly: data.count) else { throw .wrongLength }
    var written: Int32 = 0
    guard unsafe data.isEmpty || EVP_CipherUpdate(context, nil, &written, data, count) == 1 else {
      throw .libraryFailed
    }
  }

  /// Encrypts or decrypts the whole text.
  func update(_ input: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    guard let count = Int32(exactly: input.count) else { throw .wrongLength }
    guard count > 0 else { return [] }
    var output = [UInt8](repeating: 0, count: input.count)
    var written: Int32 = 0
    let done = unsafe input.withUnsafeBufferPointer { input in
      unsafe EVP_CipherUpdate(context, &output, &written, input.baseAddress, count)
    }
    guard done == 1, written == count else {
      wipe(&output)
      throw .libraryFailed
    }
    return output
  }

  /// Ends an encryption.
  func finishedTag() throws(CryptoError) -> [UInt8] {
    var rest = [UInt8](repeating: 0, count: AESGCM.tagCount)
    var written: Int32 = 0
    var tag = rest
    guard unsafe EVP_CipherFinal_ex(context, &rest, &written) == 1,
      unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1
    else { throw .libraryFailed }
    return tag
  }

  /// Ends a decryption.
  func finish(checking tag: [UInt8]) throws(CryptoError) {
    var (tag, rest) = (tag, tag)
    var written: Int32 = 0
    guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1
    else { throw .libraryFailed }
    guard unsafe EVP_CipherFinal_ex(context, &rest, &written) == 1 else { throw .authenticationFailed }
  }
}
