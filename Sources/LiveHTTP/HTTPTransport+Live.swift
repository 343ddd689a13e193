package import AcctPorts

extension HTTPTransport {
  /// The real network, by HTTP/1.1 over TLS; on loopback also without TLS.
  ///
  /// Nothing is created before the first request: no thread, no client, no file is read. The
  /// client and its one thread belong to the value that is returned, are shared by its copies,
  /// and go when the last of these goes; a process that ends by `exit` need not wait for that.
  ///
  /// The transport writes `Host` and the framing fields of a request itself; those among
  /// ``HTTPRequest/fields`` are replaced.
  ///
  /// - Parameter environment: Looks up `SSL_CERT_FILE`, `HTTPS_PROXY`, `ALL_PROXY` and
  ///   `NO_PROXY` (or their lower-case forms, which come first), at the first request over TLS.
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
