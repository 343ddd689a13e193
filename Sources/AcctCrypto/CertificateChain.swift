import COpenSSL
package import Secrets

/// The certificate of a TLS client (RFC 5280), and those of the authorities that certify it.
package struct CertificateChain: Sendable {
  /// All of them in PEM (RFC 7468), the client's own first, and nothing else of the file.
  package let pem: Secret
  /// The client's own, in DER.
  package let certificate: [UInt8]
  /// The end of its validity, in seconds since 1970.
  package let end: Int64

  /// More certificates are no chain of a client.
  private static let limit = 10

  /// Reads the certificates of a file, which may have a private key as well.
  ///
  /// - Throws: ``CryptoError/notACertificate`` for a file without a certificate, or with one that is damaged;
  ///   ``CryptoError/notConfigured``, ``CryptoError/libraryFailed``.
  package init(pem file: Secret) throws(CryptoError) {
    let certificates = try Certificates(pem: file, limit: Self.limit)
    guard let pem = certificates.pem else { throw .libraryFailed }
    guard let first = certificates.encodedFirst, let end = certificates.end else { throw .notACertificate }
    (self.pem, certificate, self.end) = (pem, first, end)
  }

  /// Takes a client's own certificate alone, in DER.
  ///
  /// - Throws: ``CryptoError/notACertificate``, ``CryptoError/notConfigured``, ``CryptoError/libraryFailed``.
  package init(der: [UInt8]) throws(CryptoError) {
    let certificates = try Certificates(der: der)
    guard let pem = certificates.pem else { throw .libraryFailed }
    guard certificates.encodedFirst == der, let end = certificates.end else { throw .notACertificate }
    (self.pem, certificate, self.end) = (pem, der, end)
  }

  /// `true` if a signature with SHA-256, r and s of 32 bytes each, is by the certificate's key, which is on P-256.
  package func isValidSignature(_ signature: [UInt8], of message: Span<UInt8>) throws(CryptoError) -> Bool {
    let key = try Certificates(pem: pem, limit: Self.limit).key()
    guard key.isP256, let signature = ECDSASignature(raw: signature) else { return false }
    return key.isValidSignature(signature.der, of: message)
  }

  /// Reads the client's private key, and returns it in PEM (PKCS #8).
  ///
  /// - Parameter file: A file with the key in PEM: PKCS #8, or the older forms of RSA and EC keys.
  /// - Returns: The key; `nil` if it is that of another certificate.
  /// - Throws: ``CryptoError/notAKey`` for a file without a key, or with one under a passphrase;
  ///   ``CryptoError/unsuitableParameters`` for a key that is neither RSA nor of P-256 or P-384;
  ///   ``CryptoError/wrongLength`` for an RSA modulus outside ``RSAPrivateKey/bits``; ``CryptoError/notConfigured``.
  package func key(in file: Secret) throws(CryptoError) -> Secret? {
    let key = try EVPKey(pem: file)
    guard key.isRSA || key.isP256 || key.group == "secp384r1" else { throw .unsuitableParameters }
    guard !key.isRSA || RSAPrivateKey.bits.contains(key.bits) else { throw .wrongLength }
    guard try Certificates(pem: pem, limit: Self.limit).areOf(key) else { return nil }
    guard let pem = key.pkcs8 else { throw .libraryFailed }
    return pem
  }
}

/// Certificates as OpenSSL holds them, one or more.
@safe private struct Certificates: ~Copyable {
  private let certificates: [OpaquePointer]

  init(pem: Secret, limit: Int) throws(CryptoError) {
    guard Library.isConfigured else { throw .notConfigured }
    defer { ERR_clear_error() }
    var found: [OpaquePointer] = unsafe []
    let isWhole = pem.withBytes { bytes in
      unsafe bytes.withUnsafeBytes { bytes in
        guard let count = Int32(exactly: bytes.count), let source = unsafe BIO_new_mem_buf(bytes.baseAddress, count)
        else { return false }
        defer { unsafe BIO_free(source) }
        while unsafe found.count <= limit {
          guard let next = unsafe PEM_read_bio_X509(source, nil, { _, _, _, _ in -1 }, nil) else {
            // The end of the file is an error, too: there is no further first line of a certificate.
            return ERR_peek_last_error() & 0x7F_FFFF == UInt(PEM_R_NO_START_LINE)
          }
          unsafe found.append(next)
        }
        return false
      }
    }
    guard unsafe isWhole && !found.isEmpty else {
      unsafe found.forEach { unsafe X509_free($0) }
      throw .notACertificate
    }
    unsafe certificates = found
  }

  init(der: [UInt8]) throws(CryptoError) {
    guard Library.isConfigured else { throw .notConfigured }
    defer { ERR_clear_error() }
    let certificate = unsafe der.withUnsafeBufferPointer { der in
      var next = der.baseAddress
      return unsafe d2i_X509(nil, &next, der.count)
    }
    guard let certificate = unsafe certificate else { throw .notACertificate }
    unsafe certificates = [certificate]
  }

  deinit { unsafe certificates.forEach { unsafe X509_free($0) } }

  /// All of them in PEM; `nil` without memory.
  var pem: Secret? {
    let all = unsafe certificates
    return unsafe written { bio in unsafe all.allSatisfy { unsafe PEM_write_bio_X509(bio, $0) == 1 } }
  }

  /// The first in DER.
  var encodedFirst: [UInt8]? {
    let first = unsafe certificates[0]
    let count = unsafe i2d_X509(first, nil)
    guard count > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(count))
    let written = unsafe bytes.withUnsafeMutableBufferPointer { room in
      var next = room.baseAddress
      return unsafe i2d_X509(first, &next)
    }
    return written == count ? bytes : nil
  }

  /// The end of the first one's validity, in seconds since 1970; `nil` if it is no time.
  var end: Int64? {
    guard let epoch = unsafe ASN1_TIME_set(nil, 0) else { return nil }
    defer { unsafe ASN1_TIME_free(epoch) }
    var (days, seconds): (Int32, Int32) = (0, 0)
    guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notAfter(certificates[0])) == 1 else { return nil }
    return Int64(days) * 86_400 + Int64(seconds)
  }

  /// The first one's public key.
  func key() throws(CryptoError) -> EVPKey {
    defer { ERR_clear_error() }
    guard let key = unsafe X509_get_pubkey(certificates[0]) else { throw .notAKey }
    return unsafe EVPKey(taking: key)
  }

  /// Returns `true` if the first one's public key is this key's.
  func areOf(_ key: borrowing EVPKey) -> Bool {
    defer { ERR_clear_error() }
    guard let own = unsafe X509_get0_pubkey(certificates[0]) else { return false }
    return unsafe EVP_PKEY_eq(own, key.pointer) == 1
  }
}

extension EVPKey {
  /// The length of an RSA modulus, or of a curve's order.
  fileprivate var bits: Int { Int(unsafe EVP_PKEY_get_bits(pointer)) }

  /// The private key in PEM (RFC 5958); `nil` without memory.
  fileprivate var pkcs8: Secret? {
    let key = unsafe pointer
    return unsafe written { bio in unsafe PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil) == 1 }
  }
}

/// The text that a function writes; `nil` if it fails.
private func written(_ write: (OpaquePointer) -> Bool) -> Secret? {
  defer { ERR_clear_error() }
  // Its memory is wiped when it is freed.
  guard let bio = unsafe BIO_new(BIO_s_mem()) else { return nil }
  defer { unsafe BIO_free(bio) }
  var text: UnsafeMutablePointer<CChar>?
  guard unsafe write(bio) else { return nil }
  let count = unsafe BIO_ctrl(bio, BIO_CTRL_INFO, 0, &text)
  guard count > 0, let text = unsafe text else { return nil }
  return unsafe Secret(UnsafeRawBufferPointer(start: text, count: count))
}
