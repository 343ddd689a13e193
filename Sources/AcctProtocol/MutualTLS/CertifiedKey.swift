import AcctCrypto
package import AcctModel
package import Secrets

/// A TLS client's certificate and its private key (RFC 8705), which belong together.
package struct CertifiedKey: Sendable {
  /// In PEM, followed by the certificates that certify it.
  package let certificate: Secret
  /// In PEM (PKCS #8), without a passphrase.
  package let key: Secret
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
    do { chain = try CertificateChain(pem: certificate) } catch {
      throw error == .notACertificate ? .certificate : .libraryFailed
    }
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
    self.key = own
    self.certificate = chain.pem
    thumbprint = chain.thumbprint
    endsAt = Timestamp(clamped: chain.end)
  }

  /// The certificate as an account's file has it.
  package func note(isBound: Bool = false, _ files: ClientCertificate.Files? = nil) -> ClientCertificate {
    ClientCertificate(thumbprint: thumbprint, endsAt: endsAt, isBound: isBound, files: files)
  }

  /// The thumbprint of the first certificate in PEM.
  ///
  /// - Throws: ``CertifiedKeyError/certificate``, ``CertifiedKeyError/libraryFailed``.
  package static func thumbprint(of certificate: Secret) throws(CertifiedKeyError) -> String {
    do { return try CertificateChain(pem: certificate).thumbprint } catch {
      throw error == .notACertificate ? .certificate : .libraryFailed
    }
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
  /// A key that is neither RSA nor of P-256 or P-384.
  case unsupportedKey
  /// An RSA modulus of fewer than 2048 bits, or more than 8192.
  case keyLength
  /// The key is that of another certificate.
  case otherKey
  /// The cryptographic library failed; both may be good.
  case libraryFailed
}
