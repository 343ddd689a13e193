package import Secrets

/// A client's certificate and its private key, which a server may ask for in the TLS handshake (RFC 8446, section 4.3.2).
package struct TLSIdentity: Equatable, Sendable {
  /// In PEM: the client's own certificate, and then those that certify it.
  package var certificate: Secret
  /// In PEM (PKCS #8), without a passphrase.
  package var key: Secret

  package init(certificate: Secret, key: Secret) {
    self.certificate = certificate
    self.key = key
  }
}
