import Secrets
import COpenSSL

/// A key as OpenSSL holds it, for the length of one operation; OpenSSL wipes its numbers at the end.
@safe struct EVPKey: ~Copyable {
  private let key: OpaquePointer
  /// For the length of a call.
  var pointer: OpaquePointer { unsafe key }
  /// The context that its digest is of; `nil` for the default one.
  private let library: OpaquePointer?

  private init(_ key: OpaquePointer, of library: OpaquePointer?) {
    unsafe self.key = key
    unsafe self.library = library
  }

  deinit { unsafe EVP_PKEY_free(key) }

  /// Takes a key of the default context, and frees it at the end.
  init(taking key: OpaquePointer) { unsafe self.init(key, of: nil) }

  /// Takes an RSA key's numbers, by OpenSSL's names.
  init(rsa numbers: [(name: StaticString, number: Secret)]) throws(CryptoError) {
    guard Library.isConfigured else { throw .notConfigured }
    let parts = try numbers.map { name, number throws(CryptoError) in (name: name, number: try BigNumber(number)) }
    defer { withExtendedLifetime(parts) {} }
    let key = try unsafe Self.made("RSA", in: nil, wholeKey) { builder in
      parts.allSatisfy { unsafe OSSL_PARAM_BLD_push_BN(builder, $0.name.cString, $0.number.pointer) == 1 }
    }
    unsafe self.init(key, of: nil)
  }

  /// Takes the scalar of a private key on P-256, which is in range.
  init(p256 scalar: BigNumber) throws(CryptoError) {
    guard let context = ProofContext.shared else { throw .libraryFailed }
    defer { withExtendedLifetime(scalar) {} }
    let key = try unsafe Self.made("EC", in: context.library, wholeKey) { builder in
      unsafe OSSL_PARAM_BLD_push_utf8_string(builder, Name.group.cString, Name.p256.cString, 0) == 1
        && OSSL_PARAM_BLD_push_BN(builder, Name.scalar.cString, scalar.pointer) == 1
    }
    unsafe self.init(key, of: context.library)
  }

  /// Takes a public key on P-256: its point, uncompressed (SEC 1, section 2.3.3).
  init(p256Point point: Span<UInt8>) throws(CryptoError) {
    guard let context = ProofContext.shared else { throw .libraryFailed }
    let key = try unsafe point.withUnsafeBytes { point throws(CryptoError) in
      try unsafe Self.made("EC", in: context.library, publicKey) { builder in
        unsafe OSSL_PARAM_BLD_push_utf8_string(builder, Name.group.cString, Name.p256.cString, 0) == 1
          && OSSL_PARAM_BLD_push_octet_string(builder, Name.point.cString, point.baseAddress, point.count) == 1
      }
    }
    unsafe self.init(key, of: context.library)
  }

  /// Generates a key on P-256.
  static func generated() throws(CryptoError) -> EVPKey {
    defer { ERR_clear_error() }
    guard let context = ProofContext.shared else { throw .libraryFailed }
    guard let generator = unsafe EVP_PKEY_CTX_new_from_name(context.library, "EC", nil) else { throw .libraryFailed }
    defer { unsafe EVP_PKEY_CTX_free(generator) }
    var key: OpaquePointer?
    guard unsafe EVP_PKEY_keygen_init(generator) == 1,
      unsafe EVP_PKEY_CTX_set_group_name(generator, Name.p256.cString) == 1,
      unsafe EVP_PKEY_generate(generator, &key) == 1, let key = unsafe key
    else { throw .libraryFailed }
    return unsafe EVPKey(key, of: context.library)
  }

  /// A key of the parameters that `add` gives to a builder, which takes them by reference.
  private static func made(
    _ algorithm: StaticString,
    in library: OpaquePointer?,
    _ selection: Int32,
    add: (_ builder: OpaquePointer) -> Bool
  ) throws(CryptoError) -> OpaquePointer {
    defer { ERR_clear_error() }
    guard let builder = unsafe OSSL_PARAM_BLD_new() else { throw .libraryFailed }
    defer { unsafe OSSL_PARAM_BLD_free(builder) }
    guard unsafe add(builder), let parameters = unsafe OSSL_PARAM_BLD_to_param(builder) else { throw .libraryFailed }
    defer { unsafe OSSL_PARAM_free(parameters) }
    guard let context = unsafe EVP_PKEY_CTX_new_from_name(library, algorithm.cString, nil) else {
      throw .libraryFailed
    }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard unsafe EVP_PKEY_fromdata_init(context) == 1,
      unsafe EVP_PKEY_fromdata(context, &key, selection, parameters) == 1, let key = unsafe key
    else { throw .notAKey }
    return unsafe key
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
    unsafe self.init(key, of: nil)
  }

  var isRSA: Bool { unsafe EVP_PKEY_is_a(key, "RSA") == 1 }

  var isP256: Bool { group == "\(Name.p256)" }

  /// OpenSSL's name of an elliptic curve; `nil` for a key of another kind.
  var group: String? {
    guard unsafe EVP_PKEY_is_a(key, "EC") == 1 else { return nil }
    var name = [CChar](repeating: 0, count: 80)
    var count = 0
    guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else { return nil }
    return String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
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
    guard unsafe EVP_DigestSignInit_ex(context, nil, "SHA2-256", library, nil, key, nil) == 1 else {
      throw .libraryFailed
    }
    var signature = [UInt8](repeating: 0, count: Int(unsafe EVP_PKEY_get_size(key)))
    var count = signature.count
    let done = unsafe message.withUnsafeBufferPointer { message in
      unsafe EVP_DigestSign(context, &signature, &count, message.baseAddress, message.count)
    }
    guard done == 1 else { throw .libraryFailed }
    return Array(signature.prefix(count))
  }

  /// The secret that this private key has in common with another's public one: ECDH's x coordinate.
  func agreement(with other: borrowing EVPKey) throws(CryptoError) -> Secret {
    defer { ERR_clear_error() }
    guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(library, key, nil) else { throw .libraryFailed }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var secret = [UInt8](repeating: 0, count: P256PrivateKey.coordinateCount)
    var count = secret.count
    guard unsafe EVP_PKEY_derive_init(context) == 1, unsafe EVP_PKEY_derive_set_peer(context, other.pointer) == 1,
      unsafe EVP_PKEY_derive(context, &secret, &count) == 1, count == secret.count
    else {
      wipe(&secret)
      throw .libraryFailed
    }
    return Secret(consuming: &secret)
  }

  /// `true` if a signature is one of this key.
  func isValidSignature(_ signature: [UInt8], of message: Span<UInt8>) -> Bool {
    defer { ERR_clear_error() }
    guard let context = unsafe EVP_MD_CTX_new() else { return false }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestVerifyInit_ex(context, nil, "SHA2-256", library, nil, key, nil) == 1 else { return false }
    return unsafe message.withUnsafeBufferPointer { message in
      unsafe EVP_DigestVerify(context, signature, signature.count, message.baseAddress, message.count) == 1
    }
  }
}

/// OpenSSL's names for a key on P-256, by EVP_PKEY-EC(7).
private enum Name {
  static let p256: StaticString = "prime256v1"
  static let group: StaticString = "group"
  static let scalar: StaticString = "priv"
  static let point: StaticString = "pub"
}

/// `EVP_PKEY_PUBLIC_KEY`, a macro that Swift does not import.
private let publicKey =
  OSSL_KEYMGMT_SELECT_PUBLIC_KEY | OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS | OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS
/// `EVP_PKEY_KEYPAIR`, another one.
private let wholeKey = publicKey | OSSL_KEYMGMT_SELECT_PRIVATE_KEY

extension StaticString {
  /// The literal in the program's own memory, which ends with a zero.
  @unsafe fileprivate var cString: UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
