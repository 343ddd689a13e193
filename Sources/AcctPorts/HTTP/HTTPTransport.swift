package import AcctModel
package import Release
package import Secrets

/// Sends one HTTP request and returns the response to it.
///
/// Every transport promises: TLS with the system's roots (or `SSL_CERT_FILE`'s) or plain http on loopback, nothing
/// else; no connection beyond the request's reach; no redirect is followed; no call outlives its deadline; no more
/// than the maximum of a body is read; nothing is retried, and no cookie kept; a credential goes nowhere but to the
/// origin that it was released for.
package struct HTTPTransport: Sendable {
  /// Sends a request and reads its whole response, both held in memory.
  ///
  /// - Throws: ``HTTPFailure/unsendable(reason:)`` for a credential of another origin, whatever the transport is.
  package let send: @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse
  /// Sends a request and returns as soon as the head of its response is there; both bodies flow
  /// part by part, at the pace of the slower end, with constant memory.
  package let stream: @Sendable (StreamedRequest) async throws(HTTPFailure) -> StreamedResponse
  /// Begins the setup for the first request in the background, for a caller that has other work to do first.
  ///
  /// Nothing is sent. The first request reports a failure, as without this.
  package var prepare: @Sendable () -> Void

  package init(
    send: @escaping @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse,
    stream: @escaping @Sendable (StreamedRequest) async throws(HTTPFailure) -> StreamedResponse,
    prepare: @escaping @Sendable () -> Void = {}
  ) {
    self.send = { (request) async throws(HTTPFailure) in
      try request.released.requireFor(request.url)
      return try await send(request)
    }
    self.stream = { (request) async throws(HTTPFailure) in
      try request.released.requireFor(request.url)
      return try await stream(request)
    }
    self.prepare = prepare
  }
}

/// A request whose body is small enough to be held in memory.
package struct HTTPRequest: Sendable {
  package var method: String
  package var url: HTTPURL
  /// Fields without a credential; a proof is one.
  package private(set) var plainFields: [(name: String, value: String)]
  /// A body without a credential, if there is one.
  package let plainBody: [UInt8]?
  /// The credential.
  package let released: Released?
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
    fields: [(name: String, value: String)] = [],
    body: [UInt8]? = nil,
    releasing released: Released? = nil,
    timeout: Int,
    bodyLimit: Int = 1 << 20,
    reach: Reach = .anywhere,
    mayBeSent: (@Sendable () -> Bool)? = nil,
    identity: TLSIdentity? = nil
  ) {
    self.method = method
    self.url = url
    plainFields = fields
    plainBody = body
    self.released = released
    self.timeout = timeout
    self.bodyLimit = bodyLimit
    self.reach = reach
    self.mayBeSent = mayBeSent
    self.identity = identity
  }

  /// Adds a field without a credential.
  package mutating func add(_ name: String, _ value: String) { plainFields.append((name, value)) }

  /// All of its fields, as they are sent.
  package var fields: [(name: String, value: Secret)] { released.lines(before: plainFields) }

  /// Its body, as it is sent.
  package var body: Secret? { released?.body ?? plainBody.map { Secret($0) } }
}

extension Released? {
  /// Refuses to send a credential to another origin than the one that it was released for.
  fileprivate func requireFor(_ url: HTTPURL) throws(HTTPFailure) {
    if self?.isFor(url.origin) == false {
      throw .unsendable(reason: "its credentials were released for another server")
    }
  }

  /// The lines of a request: those of the credential, and the others.
  func lines(before plain: [(name: String, value: String)]) -> [(name: String, value: Secret)] {
    (self?.fields.map { ($0.name, $0.value) } ?? []) + plain.map { ($0.name, Secret($0.value)) }
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
