import AcctPorts
import AcctProtocol

extension TLSIdentity {
  /// A client's certificate and key.
  init(_ certified: CertifiedKey) { self.init(certificate: certified.certificate, key: certified.key) }
}
