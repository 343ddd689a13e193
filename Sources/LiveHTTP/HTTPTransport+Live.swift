package import AcctPorts

extension HTTPTransport {
  /// The real network, by HTTP/1.1 over TLS; on loopback also without TLS.
  ///
  /// Nothing is created before the first request: no thread, no client, no file is read. The
  /// client and its one thread belong to the value that is returned and are shared by its copies.
  /// When the last of these goes the client closes its connections by itself; a process just
  /// exits.
  ///
  /// The transport writes `Host` and the framing fields of a request itself; those among
  /// ``HTTPRequest/fields`` are replaced.
  ///
  /// - Parameter environment: Looks up `SSL_CERT_FILE`, `HTTPS_PROXY`, `ALL_PROXY` and
  ///   `NO_PROXY` (or their lower-case forms, which come first), at the first request over TLS.
  /// - Returns: A transport that keeps every promise of ``HTTPTransport``.
  package static func live(
    environment: @escaping @Sendable (_ name: String) -> String?
  ) -> HTTPTransport {
    let clients = Clients(environment: environment)
    return HTTPTransport { request async throws(HTTPFailure) in
      try await withinDeadline(seconds: request.timeout) { () async throws(HTTPFailure) in
        try await clients.exchange(request)
      }
    }
  }
}
