import AcctPorts
import NIOSSL

extension TLSConfiguration {
  /// TLS 1.2 or newer with the chain and the name verified, as a client.
  ///
  /// - Parameter rootsFile: PEM certificates that take the place of the system's roots.
  /// - Throws: ``HTTPFailure/untrusted(reason:)`` if there is such a file and no certificate
  ///   can be read from it.
  init(rootsFile: String?) throws(HTTPFailure) {
    self = .makeClientConfiguration()
    minimumTLSVersion = .tlsv12
    certificateVerification = .fullVerification
    guard let rootsFile else { return }
    let roots: [NIOSSLCertificate]
    do { roots = try NIOSSLCertificate.fromPEMFile(rootsFile) } catch {
      throw .untrusted(reason: "no certificate can be read from SSL_CERT_FILE (\(rootsFile))")
    }
    guard !roots.isEmpty else {
      throw .untrusted(reason: "there is no certificate in SSL_CERT_FILE (\(rootsFile))")
    }
    trustRoots = .certificates(roots)
  }
}
