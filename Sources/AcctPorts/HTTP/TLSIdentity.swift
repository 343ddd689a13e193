package import AcctModel
package import Secrets

/// A client's certificate and its private key, which a server may ask for in the TLS handshake (RFC 8446, section 4.3.2).
package struct TLSIdentity: Sendable {
  package typealias Failure = HardwareKeyFailure

  /// The private key.
  package enum Key: Sendable {
    /// In PEM (PKCS #8), without a passphrase.
    case pem(Secret)
    /// A key on P-256 that never leaves its device: signs a digest of 32 bytes, and returns r and s, 32 bytes each.
    case device(@Sendable (_ digest: [UInt8]) async throws(Failure) -> [UInt8])
  }

  /// In PEM: the client's own certificate, and then those that certify it.
  package var certificate: Secret
  package var key: Key

  package init(certificate: Secret, key: Key) {
    self.certificate = certificate
    self.key = key
  }

  /// The key in PEM; `nil` for one in a device.
  package var pem: Secret? { if case .pem(let pem) = key { pem } else { nil } }
}
