package import AcctPorts
import LoadedCurl

extension HTTPTransport {
  /// The real network, by HTTP/1.1 over TLS; on loopback also without TLS.
  ///
  /// Nothing is created before the first request, or before it is prepared for: no library is loaded, no thread
  /// started, no file read. libcurl and its one thread belong to the value that is returned and are shared by its
  /// copies. When the last of these is released the thread ends; a process just exits.
  ///
  /// The transport writes `Host`, `Expect` and the framing fields of a request itself; those among
  /// a request's fields are replaced.
  ///
  /// - Parameters:
  ///   - userAgent: Names the program to servers (RFC 9110, section 10.1.5), in each request that does not
  ///     name another; `nil` sends none.
  ///   - environment: Looks up `SSL_CERT_FILE`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` (or their
  ///     lower-case forms, which come first), at the first request over TLS.
  /// - Returns: A transport that keeps every promise of ``HTTPTransport``.
  package static func live(
    userAgent: String?,
    environment: @escaping @Sendable (_ name: String) -> String?
  ) -> HTTPTransport {
    let client = Client(userAgent: userAgent, environment: environment)
    return HTTPTransport(
      send: { request async throws(HTTPFailure) in try await client.send(request) },
      stream: { request async throws(HTTPFailure) in try await client.stream(request) },
      prepare: { CurlTable.beginPreloading() }
    )
  }
}
