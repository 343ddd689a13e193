import AcctModel
import Secrets
import AcctPorts
import Curl

/// A request as it goes on the wire, checked: no part of it can break the framing.
struct RequestMessage: Sendable {
  /// The source of a body.
  enum Body: Sendable {
    case none
    case bytes(Secret)
    case source(ByteSource)
  }

  /// The clock that ends it, in seconds.
  enum Timeout: Sendable {
    /// For everything.
    case total(Int)
    /// For each wait in which nothing moves.
    case each(Int)
  }

  let method: String
  let url: HTTPURL
  private(set) var lines: [HeaderLine]
  private(set) var body: Body
  let asksFirst: Bool
  let timeout: Timeout
  /// The addresses that it may go to.
  let reach: Reach
  /// Returns `true` if the request may still be sent; `nil`: always.
  let mayBeSent: (@Sendable () -> Bool)?
  /// Presented to a server that asks for one.
  private(set) var identity: TLSIdentity?

  /// - Throws: ``HTTPFailure/unsendable(reason:)``.
  init(_ request: HTTPRequest, userAgent: Secret?) throws(HTTPFailure) {
    try self.init(
      request.method,
      request.url,
      request.fields,
      request.body.map { .bytes($0) } ?? .none,
      asksFirst: false,
      .total(request.timeout),
      request.reach,
      request.mayBeSent,
      request.identity,
      userAgent
    )
  }

  /// - Throws: ``HTTPFailure/unsendable(reason:)``.
  init(_ request: StreamedRequest, userAgent: Secret?) throws(HTTPFailure) {
    try self.init(
      request.method,
      request.url,
      request.fields,
      request.body.map { .source($0) } ?? .none,
      asksFirst: request.asksFirst && request.body != nil,
      .each(request.timeout),
      .anywhere,
      nil,
      request.identity,
      userAgent
    )
  }

  /// Checks method, names and values (RFC 9110, sections 5.1, 5.5 and 9.1).
  private init(
    _ method: String,
    _ url: HTTPURL,
    _ fields: [(name: String, value: Secret)],
    _ body: Body,
    asksFirst: Bool,
    _ timeout: Timeout,
    _ reach: Reach,
    _ mayBeSent: (@Sendable () -> Bool)?,
    _ identity: TLSIdentity?,
    _ userAgent: Secret?
  ) throws(HTTPFailure) {
    // An origin that breaks this can't be made; it is checked here too since all else depends on
    // it.
    guard url.origin.scheme == .https || url.origin.isLoopback else {
      throw .unsendable(reason: "plain http is for loopback only")
    }
    guard method.isHTTPToken else { throw .unsendable(reason: "the method is not a token") }
    if case .none = body {
    } else if method == "HEAD" {
      throw .unsendable(reason: "a HEAD request has no body")
    }
    var lines: [HeaderLine] = []
    lines.reserveCapacity(fields.count + 4)
    for (name, value) in fields {
      guard name.isHTTPToken else { throw .unsendable(reason: "a header field's name is not a token") }
      guard isFieldValue(value) else {
        throw .unsendable(reason: "the value of \(name) has characters that no header may have")
      }
      guard !name.isField(among: Self.ownFields) else { continue }
      lines.append(HeaderLine(name, value))
    }
    let names = fields.map(\.name)
    // Fields that libcurl would add by itself.
    for name in ["Accept", "Content-Type"] where !name.isField(among: names) { lines.append(HeaderLine(name, nil)) }
    if let userAgent, !"User-Agent".isField(among: names) { lines.append(HeaderLine("User-Agent", userAgent)) }
    lines.append(HeaderLine("Expect", asksFirst ? Secret("100-continue") : nil))
    self.method = method
    self.url = url
    self.lines = lines
    self.body = body
    self.asksFirst = asksFirst
    self.timeout = timeout
    self.reach = reach
    self.mayBeSent = mayBeSent
    self.identity = identity
  }

  /// Releases its fields, its body and its key.
  mutating func forgetSecrets() {
    lines = []
    body = .none
    identity = nil
  }

  /// The fields that the transport writes itself: where to, and how the body is framed.
  private static let ownFields = ["host", "content-length", "transfer-encoding", "expect"]

  /// `true` if the whole response is held in memory; then it may be a secret, which its reader wipes.
  var isHeldInMemory: Bool { if case .total = timeout { true } else { false } }

  /// The request's target (RFC 9112, section 3.2.1), byte for byte: a DPoP proof names it.
  var target: String { url.query.map { "\(url.path)?\($0)" } ?? url.path }
}

/// `true` for a value without control characters; other bytes may be of any encoding (`obs-text`).
private func isFieldValue(_ secret: Secret) -> Bool {
  secret.withBytes { bytes in
    for index in bytes.indices where bytes[index] < 0x20 || bytes[index] == 0x7F {
      guard bytes[index] == 0x09 else { return false }
    }
    return true
  }
}
