import Secrets
import COpenSSL

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
