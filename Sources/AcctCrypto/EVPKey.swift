import Secrets
import COpenSSL

/// A private key as OpenSSL holds it, for the length of one operation.
@safe struct EVPKey: ~Copyable {
  private let key: OpaquePointer

  deinit { unsafe EVP_PKEY_free(key) }

  /// Takes an RSA key's numbers, by OpenSSL's names.
  init(rsa numbers: [(name: StaticString, number: Secret)]) throws(CryptoError) {
    guard Library.isConfigured else { throw .notConfigured }
    defer { ERR_clear_error() }
    guard let builder = unsafe OSSL_PARAM_BLD_new() else { throw .libraryFailed }
    defer { unsafe OSSL_PARAM_BLD_free(builder) }
    // The builder takes names and numbers by reference, so they live until the key is made.
    let parts = try numbers.map { name, number throws(CryptoError) in (name: name, number: try BigNumber(number)) }
    defer { withExtendedLifetime(parts) {} }
    for part in parts {
      guard unsafe OSSL_PARAM_BLD_push_BN(builder, part.name.cString, part.number.pointer) == 1 else {
        throw .libraryFailed
      }
    }
    guard let parameters = unsafe OSSL_PARAM_BLD_to_param(builder) else { throw .libraryFailed }
    defer { unsafe OSSL_PARAM_free(parameters) }
    guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else { throw .libraryFailed }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard unsafe EVP_PKEY_fromdata_init(context) == 1,
      unsafe EVP_PKEY_fromdata(context, &key, wholeKey, parameters) == 1, let key = unsafe key
    else { throw .notAKey }
    unsafe self.key = key
  }

  /// Reads a private key in PEM: PKCS #8, or the older forms of RSA and EC keys (RFC 7468).
  ///
  /// - Throws: ``CryptoError/notAKey``, for one under a passphrase too; ``CryptoError/notConfigured``.
  init(pem: Secret) throws(CryptoError) {
    guard Library.isConfigured else { throw .notConfigured }
    defer { ERR_clear_error() }
    let key: OpaquePointer? = unsafe pem.withBytes { bytes in
      unsafe bytes.withUnsafeBytes { bytes in
        guard let count = Int32(exactly: bytes.count), let source = unsafe BIO_new_mem_buf(bytes.baseAddress, count)
        else { return nil }
        defer { unsafe BIO_free(source) }
        // Without an answer of its own OpenSSL would ask for a passphrase at the terminal.
        return unsafe PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in -1 }, nil)
      }
    }
    guard let key = unsafe key else { throw .notAKey }
    unsafe self.key = key
  }

  var isRSA: Bool { unsafe EVP_PKEY_is_a(key, "RSA") == 1 }

  var isP256: Bool {
    guard unsafe EVP_PKEY_is_a(key, "EC") == 1 else { return false }
    var name = [CChar](repeating: 0, count: 80)
    var count = 0
    guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else { return false }
    return name.prefix(count).elementsEqual("prime256v1".utf8.map { CChar(bitPattern: $0) })
  }

  /// One of the key's numbers by OpenSSL's name, big-endian; `nil` if it has none.
  func number(_ name: StaticString) -> Secret? {
    defer { ERR_clear_error() }
    var number: OpaquePointer?
    guard unsafe EVP_PKEY_get_bn_param(key, name.cString, &number) == 1, let number = unsafe number else { return nil }
    defer { unsafe BN_clear_free(number) }
    var bytes = [UInt8](repeating: 0, count: (Int(unsafe BN_num_bits(number)) + 7) / 8)
    guard unsafe BN_bn2bin(number, &bytes) == Int32(bytes.count) else { return nil }
    return Secret(consuming: &bytes)
  }

  /// Signs with SHA-256 and, for RSA, PKCS #1 v1.5.
  func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    defer { ERR_clear_error() }
    guard let context = unsafe EVP_MD_CTX_new() else { throw .libraryFailed }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, key, nil) == 1 else { throw .libraryFailed }
    var signature = [UInt8](repeating: 0, count: Int(unsafe EVP_PKEY_get_size(key)))
    var count = signature.count
    let done = unsafe message.withUnsafeBufferPointer { message in
      unsafe EVP_DigestSign(context, &signature, &count, message.baseAddress, message.count)
    }
    guard done == 1 else { throw .libraryFailed }
    return Array(signature.prefix(count))
  }

  /// `true` if a signature is one of this key.
  func isValidSignature(_ signature: [UInt8], of message: Span<UInt8>) -> Bool {
    defer { ERR_clear_error() }
    guard let context = unsafe EVP_MD_CTX_new() else { return false }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestVerifyInit_ex(context, nil, "SHA256", nil, nil, key, nil) == 1 else { return false }
    return unsafe message.withUnsafeBufferPointer { message in
      unsafe EVP_DigestVerify(context, signature, signature.count, message.baseAddress, message.count) == 1
    }
  }
}

/// `EVP_PKEY_KEYPAIR`, a macro that Swift does not import: the public and the private part, and parameters.
private let wholeKey =
  OSSL_KEYMGMT_SELECT_PRIVATE_KEY | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
  | OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS | OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS

/// A number of a private key as OpenSSL holds it; wiped at its end.
@safe private final class BigNumber {
  let pointer: OpaquePointer

  init(_ number: Secret) throws(CryptoError) {
    // A copy of such a number is wiped with the parameters that it stands in; that of any other is not.
    guard let pointer = unsafe BN_secure_new() else { throw .libraryFailed }
    unsafe self.pointer = pointer
    let isRead = number.withBytes { bytes in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe BN_bin2bn(bytes.baseAddress, Int32(clamping: bytes.count), pointer) != nil
      }
    }
    guard isRead else { throw .libraryFailed }
  }

  deinit { unsafe BN_clear_free(pointer) }
}

extension StaticString {
  /// The literal in the program's own memory, which ends with a zero.
  @unsafe fileprivate var cString: UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
