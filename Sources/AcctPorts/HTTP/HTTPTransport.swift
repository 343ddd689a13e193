package import AcctModel
package import Secrets

/// Sends one HTTP request and returns the response to it.
///
/// Every transport promises: TLS with the system's roots (or `SSL_CERT_FILE`'s) or plain http on loopback, nothing
/// else; no connection beyond the request's reach; no redirect is followed; no call outlives its deadline; no more
/// than the maximum of a body is read; nothing is retried, and no cookie kept.
package struct HTTPTransport: Sendable {
  /// Sends a request and reads its whole response, both held in memory.
  package var send: @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse
  /// Sends a request and returns as soon as the head of its response is there; both bodies flow
  /// part by part, at the pace of the slower end, with constant memory.
  package var stream: @Sendable (StreamedRequest) async throws(HTTPFailure) -> StreamedResponse
  /// Begins the setup for the first request in the background, for a caller that has other work to do first.
  ///
  /// Nothing is sent. The first request reports a failure, as without this.
  package var prepare: @Sendable () -> Void

  package init(
    send: @escaping @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse,
    stream: @escaping @Sendable (StreamedRequest) async throws(HTTPFailure) -> StreamedResponse,
    prepare: @escaping @Sendable () -> Void = {}
  ) {
    self.send = send
    self.stream = stream
    self.prepare = prepare
  }
}

/// A request whose body is small enough to be held in memory.
package struct HTTPRequest: Sendable {
  package var method: String
  package var url: HTTPURL
  /// Values may be secrets: tokens, proofs, cookies.
  package var fields: [(name: String, value: Secret)]
  package var body: Secret?
  /// Seconds for everything, from resolving the name to the last byte of the body.
  package var timeout: Int
  /// The most bytes of a body that are read.
  package var bodyLimit: Int
  /// The addresses that it may go to, whatever its host resolves to.
  package var reach: Reach
  /// Returns `true` while the request may still be sent: asked before connecting, and just before the first byte.
  ///
  /// A process can be stopped at any time. If this returns `false`, nothing is sent: ``HTTPFailure/withheld``. It
  /// returns at once, on any thread.
  package var mayBeSent: (@Sendable () -> Bool)?
  /// Presented to the server if it asks for one; over plain http there is no use for it.
  package var identity: TLSIdentity?

  package init(
    method: String,
    url: HTTPURL,
    fields: [(name: String, value: Secret)] = [],
    body: Secret? = nil,
    timeout: Int,
    bodyLimit: Int = 1 << 20,
    reach: Reach = .anywhere,
    mayBeSent: (@Sendable () -> Bool)? = nil,
    identity: TLSIdentity? = nil
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
    self.timeout = timeout
    self.bodyLimit = bodyLimit
    self.reach = reach
    self.mayBeSent = mayBeSent
    self.identity = identity
  }
}

/// A response with its whole body.
package struct HTTPResponse: Sendable {
  package var status: Int
  package var fields: [(name: String, value: String)]
  package var body: Secret

  package init(status: Int, fields: [(name: String, value: String)], body: Secret) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// The value of the only field of that name; `nil` if there is none, or more than one.
  package func field(_ name: String) -> String? { fields.only(name) }
}

/// Why there is no response; it says nothing about a credential.
package enum HTTPFailure: Error, Equatable, Sendable {
  /// The name could not be resolved.
  case unresolved(host: String)
  /// No connection could be made.
  case unreachable(reason: String)
  /// TLS could not be established: the reason in plain words, such as "the certificate has expired".
  case untrusted(reason: String)
  /// The deadline passed.
  case timedOut
  /// The connection ended before the response did.
  case closed
  /// The response is not HTTP.
  case malformed
  /// The body is larger than the cap, in bytes.
  case tooLarge(limit: Int)
  case cancelled
  /// The request can't be sent as it is, such as for a line break in a field.
  case unsendable(reason: String)
  /// The request's body could not be read to its end; the part that was sent is incomplete.
  case source(StreamFailure)
  /// The host is, or resolves to, an address of this machine or a private network, which only the
  /// user may name; nothing was sent.
  case inside(host: String)
  /// Its time to be sent has passed; nothing was sent.
  case withheld
  /// A proxy is set in the environment and can't be used.
  case proxy(reason: String)
  /// The device of the client's key for TLS did not sign; nothing was sent.
  case device(HardwareKeyFailure)
}

extension HTTPFailure {
  /// `true` if the request may have reached the server.
  package var wasSent: Bool {
    switch self {
    case .unresolved, .unreachable, .untrusted, .proxy, .unsendable, .inside, .withheld, .device: false
    case .timedOut, .closed, .malformed, .tooLarge, .cancelled, .source: true
    }
  }

  /// `true` if the server may answer the same request later.
  package var mayPass: Bool {
    switch self {
    case .unresolved, .unreachable, .timedOut, .closed: true
    case .untrusted, .malformed, .tooLarge, .cancelled, .unsendable, .source, .proxy, .inside, .withheld, .device:
      false
    }
  }
}
