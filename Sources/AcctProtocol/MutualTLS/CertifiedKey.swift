import AcctCrypto
package import AcctModel
package import Secrets

/// A TLS client's certificate and its private key (RFC 8705), which belong together.
package struct CertifiedKey: Sendable {
  /// The private key.
  package enum Key: Sendable {
    /// In PEM (PKCS #8), without a passphrase.
    case pem(Secret)
    /// In a token, which it never leaves: its URI, and what signs with it.
    indirect case token(String, Signer)
  }

  /// Signs a SHA-256 digest of 32 bytes in a device; returns r and s, 32 bytes each.
  package typealias Signer = @Sendable (_ digest: [UInt8]) async throws(HardwareKeyFailure) -> [UInt8]

  /// In PEM, followed by the certificates that certify it.
  package let certificate: Secret
  package let key: Key
  /// `x5t#S256` (RFC 8705, section 3.1).
  package let thumbprint: String
  /// The end of the certificate's validity.
  package let endsAt: Timestamp

  /// Reads both; they may be in one file.
  ///
  /// - Parameters:
  ///   - certificate: PEM with the client's own certificate first.
  ///   - key: PEM with a private key of P-256, P-384 or RSA.
  /// - Throws: ``CertifiedKeyError``.
  package init(certificate: Secret, key: Secret) throws(CertifiedKeyError) {
    let chain: CertificateChain
    do { chain = try CertificateChain(pem: certificate) } catch { throw CertifiedKeyError(certificate: error) }
    let own: Secret?
    do { own = try chain.key(in: key) } catch {
      switch error {
      case .notAKey: throw .key
      case .unsuitableParameters, .scalarOutOfRange, .notOnCurve: throw .unsupportedKey
      case .wrongLength: throw .keyLength
      case .authenticationFailed, .notConfigured, .notACertificate, .libraryFailed: throw .libraryFailed
      }
    }
    guard let own else { throw .otherKey }
    self.init(chain, .pem(own))
  }

  /// Reads a certificate whose key is in a token; ``requireOwnKey(_:of:)`` checks that.
  ///
  /// - Throws: ``CertifiedKeyError/certificate``, ``CertifiedKeyError/libraryFailed``.
  package init(certificate: Secret, in token: String, by signer: @escaping Signer) throws(CertifiedKeyError) {
    do { self.init(try CertificateChain(pem: certificate), .token(token, signer)) } catch {
      throw CertifiedKeyError(certificate: error)
    }
  }

  private init(_ chain: CertificateChain, _ key: Key) {
    certificate = chain.pem
    self.key = key
    thumbprint = chain.thumbprint
    endsAt = Timestamp(clamped: chain.end)
  }

  /// The digest that a key in a token signs.
  package static func digest(of message: [UInt8]) -> [UInt8] { SHA256.hash(message.span) }

  /// Checks a signature by the key in the token, of some message.
  ///
  /// - Throws: ``CertifiedKeyError/otherKey`` if it is not by the certificate's key, on P-256.
  package func requireOwnKey(_ signature: [UInt8], of message: [UInt8]) throws(CertifiedKeyError) {
    let isOwn = try? CertificateChain(pem: certificate).isValidSignature(signature, of: message.span)
    guard isOwn == true else { throw .otherKey }
  }

  /// The certificate as an account's file has it.
  package func note(isBound: Bool = false, _ files: ClientCertificate.Files? = nil) -> ClientCertificate {
    var isInToken = false
    if case .token = key { isInToken = true }
    return ClientCertificate(
      thumbprint: thumbprint,
      endsAt: endsAt,
      isBound: isBound,
      files: files,
      isKeyInToken: isInToken
    )
  }

  /// The keyring's item for the key: PEM, or the URI of its token.
  package var keyItem: Secret {
    switch key {
    case .pem(let pem): pem
    case .token(let uri, _): Secret(uri)
    }
  }

  /// The thumbprint of the first certificate in PEM.
  ///
  /// - Throws: ``CertifiedKeyError/certificate``, ``CertifiedKeyError/libraryFailed``.
  package static func thumbprint(of certificate: Secret) throws(CertifiedKeyError) -> String {
    do { return try CertificateChain(pem: certificate).thumbprint } catch {
      throw CertifiedKeyError(certificate: error)
    }
  }

  /// A certificate in PEM that a token has in DER.
  ///
  /// - Throws: ``CertifiedKeyError/certificate``, ``CertifiedKeyError/libraryFailed``.
  package static func pem(der: [UInt8]) throws(CertifiedKeyError) -> Secret {
    do { return try CertificateChain(der: der).pem } catch { throw CertifiedKeyError(certificate: error) }
  }
}

extension CertificateChain {
  fileprivate var thumbprint: String { Base64URL.encode(SHA256.hash(certificate.span).span) }
}

/// Why a client's certificate and key can't be used.
///
/// No case holds anything of the key.
package enum CertifiedKeyError: Error, Equatable, Sendable {
  /// No certificate in PEM, or one that is damaged.
  case certificate
  /// No private key in PEM, or one that is damaged or under a passphrase.
  case key
  /// A key that is neither RSA nor of P-256 or P-384; in a token, one that is not of P-256.
  case unsupportedKey
  /// An RSA modulus of fewer than 2048 bits, or more than 8192.
  case keyLength
  /// The key is that of another certificate.
  case otherKey
  /// The cryptographic library failed; both may be good.
  case libraryFailed

  fileprivate init(certificate error: CryptoError) { self = error == .notACertificate ? .certificate : .libraryFailed }
}
