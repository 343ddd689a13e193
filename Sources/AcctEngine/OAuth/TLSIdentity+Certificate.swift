package import AcctPorts
package import AcctProtocol

extension TLSIdentity {
  /// A client's certificate and key.
  package init(_ certified: CertifiedKey) {
    let key: Key =
      switch certified.key {
      case .pem(let pem): .pem(pem)
      case .token(_, let signer): .device(signer)
      }
    self.init(certificate: certified.certificate, key: key)
  }
}
