package import AcctModel
package import Release
package import Secrets

/// Sends one HTTP request and returns the response to it.
///
/// Every transport promises: TLS with the system's roots (or `SSL_CERT_FILE`'s) or plain http on loopback, nothing
/// else; no connection beyond the request's reach; no redirect is followed; no call outlives its deadline; no more
/// than the maximum of a body is read; nothing is retried, and no cookie kept; a credential goes nowhere but to the
/// URL that it was released for.
package struct HTTPTransport: Sendable {
  /// Sends a request and reads its whole response, both held in memory.
  ///
  /// - Throws: ``HTTPFailure/unsendable(reason:)`` for a credential of another URL, whatever the transport is.
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
  package let url: HTTPURL
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

  /// Its URL, fields, query and body, as they are sent.
  ///
  /// - Throws: ``HTTPFailure/unsendable(reason:)`` for a credential of another URL.
  package func opened() throws(HTTPFailure) -> SentRequest {
    var sent = try released.opened(for: url)
    sent.fields += plainFields.map { ($0.name, Secret($0.value)) }
    sent.body = sent.body ?? plainBody.map { Secret($0) }
    return sent
  }
}

/// The parts of a request with its credential, for the credential's URL and no other.
package struct SentRequest {
  package let url: HTTPURL
  package fileprivate(set) var fields: [SentField]
  /// The query with a credential; `nil`: the URL's own.
  package let query: Secret?
  package fileprivate(set) var body: Secret?
}

/// A field as it is sent.
package typealias SentField = (name: String, value: Secret)

extension Released? {
  /// Refuses to send a credential to another URL than the one that it was released for.
  fileprivate func requireFor(_ url: HTTPURL) throws(HTTPFailure) {
    if self?.isFor(url) == false { throw .misdirected }
  }

  fileprivate func opened(for url: HTTPURL) throws(HTTPFailure) -> SentRequest {
    guard let self else { return SentRequest(url: url, fields: [], query: nil, body: nil) }
    do {
      let (fields, query, body) = try self.opened(for: url)
      let sent = fields.map { ($0.name, $0.value) }
      return SentRequest(url: url, fields: sent, query: query.map { Self.query($0, behind: url.query) }, body: body)
    } catch {
      throw .misdirected
    }
  }

  /// The credential behind a URL's own query; a server that redirects may have repeated it there.
  private static func query(_ pair: Secret, behind own: String?) -> Secret {
    guard let own, !own.isEmpty else { return pair }
    let isThere = own.split(separator: "&").contains { Secret(String($0)) == pair }
    return isThere ? Secret(own) : Secret(joining: [Secret("\(own)&"), pair])
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
  fileprivate static let misdirected = HTTPFailure.unsendable(
    reason: "its credentials were released for another server"
  )

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

/// A request whose body may be of any length.
package struct StreamedRequest: Sendable {
  package var method: String
  package let url: HTTPURL
  /// Fields without a credential.
  package let plainFields: [(name: String, value: String)]
  /// The credential, and the fields that the user gave.
  package let released: Released?
  /// Sent in chunks (RFC 9112, section 7.1) if its length is not known.
  package var body: ByteSource?
  /// Let the server reject the request before the body is read (RFC 9110, section 10.1.1); a server that
  /// does not answer within a second gets the body all the same.
  package var asksFirst: Bool
  /// Seconds to connect, and seconds without a byte in either direction.
  ///
  /// The whole exchange has no limit. A slow source or reader on this side does not count.
  package var timeout: Int
  /// Presented to the server if it asks for one.
  package var identity: TLSIdentity?

  package init(
    method: String,
    url: HTTPURL,
    fields: [(name: String, value: String)] = [],
    releasing released: Released? = nil,
    body: ByteSource? = nil,
    asksFirst: Bool = false,
    timeout: Int,
    identity: TLSIdentity? = nil
  ) {
    self.method = method
    self.url = url
    plainFields = fields
    self.released = released
    self.body = body
    self.asksFirst = asksFirst
    self.timeout = timeout
    self.identity = identity
  }

  /// Its URL, fields and query, as they are sent.
  ///
  /// - Throws: ``HTTPFailure/unsendable(reason:)`` for a credential of another URL.
  package func opened() throws(HTTPFailure) -> SentRequest {
    var sent = try released.opened(for: url)
    sent.fields += plainFields.map { ($0.name, Secret($0.value)) }
    return sent
  }
}

/// A response whose body is still to come.
///
/// A reader that neither reads it to its end nor calls ``cancel`` ends the connection on release.
package struct StreamedResponse: Sendable {
  package var head: ResponseHead
  /// Returns the next part of the body, never an empty one, and `nil` at the end.
  ///
  /// Only one caller may wait at a time. The server is held up until the next call; cancelling the
  /// waiting task ends the connection.
  package var next: @Sendable () async throws(HTTPFailure) -> [UInt8]?
  /// Gives up the rest of the body, and returns when the connection is no longer in use.
  package var cancel: @Sendable () async -> Void

  package init(
    head: ResponseHead,
    next: @escaping @Sendable () async throws(HTTPFailure) -> [UInt8]?,
    cancel: @escaping @Sendable () async -> Void
  ) {
    self.head = head
    self.next = next
    self.cancel = cancel
  }
}

/// The head of a response (RFC 9112, section 2.1).
package struct ResponseHead: Sendable {
  package var status: Int
  /// The status line as it was received: `HTTP/1.1 200 OK`.
  package var statusLine: String
  package var fields: [(name: String, value: String)]

  package init(status: Int, statusLine: String, fields: [(name: String, value: String)]) {
    self.status = status
    self.statusLine = statusLine
    self.fields = fields
  }

  /// The value of the only field of that name; `nil` if there is none, or more than one.
  package func field(_ name: String) -> String? { fields.only(name) }
}

extension [(name: String, value: String)] {
  /// The value of the only field of that name, whatever its case.
  package func only(_ name: String) -> String? {
    var found: String?
    for field in self where field.name.isSameField(as: name) {
      guard found == nil else { return nil }
      found = field.value
    }
    return found
  }
}

/// A stream of bytes of any length, such as a large file's, read part by part.
///
/// For one reader, once. Memory holds a part, never the whole.
package struct ByteSource: Sendable {
  /// The number of bytes; `nil` where only their end tells, as with a pipe.
  package var length: Int64?
  /// Returns the next part, never an empty one, and `nil` at the end.
  package var next: @Sendable () async throws(StreamFailure) -> [UInt8]?

  package init(length: Int64?, next: @escaping @Sendable () async throws(StreamFailure) -> [UInt8]?) {
    self.length = length
    self.next = next
  }
}

/// A destination for any number of bytes, written part by part.
package struct ByteSink: Sendable {
  /// Writes a part; waits until it is read.
  package var write: @Sendable ([UInt8]) throws(StreamFailure) -> Void
  /// Completes the output: a file appears under its name only now, whole.
  package var finish: @Sendable () throws(StreamFailure) -> Void
  /// Discards the output: a file keeps its former contents, or stays absent.
  package var discard: @Sendable () -> Void
  /// `true` if ``discard`` leaves nothing behind; `false` if a written byte can't be taken back.
  package var isAtomic: Bool

  package init(
    write: @escaping @Sendable ([UInt8]) throws(StreamFailure) -> Void,
    finish: @escaping @Sendable () throws(StreamFailure) -> Void,
    discard: @escaping @Sendable () -> Void,
    isAtomic: Bool
  ) {
    self.write = write
    self.finish = finish
    self.discard = discard
    self.isAtomic = isAtomic
  }
}

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
