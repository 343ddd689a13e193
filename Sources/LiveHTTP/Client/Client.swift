import AcctModel
package import AcctPorts
import Curl
import Glibc
import Secrets
import Synchronization

/// The parts of one transport, made when the first request needs them.
final class Client: Sendable {
  private let userAgent: Secret?
  private let environment: @Sendable (_ name: String) -> String?
  private let state = Mutex(State())

  private struct State {
    var thread: TransferThread?
    var proxies: ProxySettings?
  }

  init(userAgent: String?, environment: @escaping @Sendable (_ name: String) -> String?) {
    self.userAgent = userAgent.map { Secret($0) }
    self.environment = environment
  }

  deinit { state.withLock { $0.thread }?.order(.end) }

  /// Sends a request and reads its whole response.
  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    let response = try await begin(RequestMessage(request, userAgent: userAgent))
    // Grows as it must: free(3) wipes all of the reserved memory, and so touches each page of it.
    var bytes: [UInt8] = []
    while var part = try await response.next() {
      defer { wipe(&part) }
      guard part.count <= request.bodyLimit - bytes.count else {
        await response.cancel()
        wipe(&bytes)
        throw .tooLarge(limit: request.bodyLimit)
      }
      bytes.append(contentsOf: part)
    }
    return HTTPResponse(status: response.head.status, fields: response.head.fields, body: Secret(consuming: &bytes))
  }

  /// Sends a request, and returns when the head of its response is there.
  func stream(_ request: StreamedRequest) async throws(HTTPFailure) -> StreamedResponse {
    try await begin(RequestMessage(request, userAgent: userAgent))
  }

  private func begin(_ message: RequestMessage) async throws(HTTPFailure) -> StreamedResponse {
    let origin = message.url.origin
    let route = try route(to: origin)
    // A proxy resolves names itself, so behind one only the written host can be checked.
    guard route == .direct || message.reach.permits(origin) else { throw .inside(host: origin.host) }
    guard message.mayBeSent?() ?? true else { throw .withheld }
    let thread = try thread()
    let rootsFile = origin.scheme == .https ? environment("SSL_CERT_FILE") : nil
    let transfer = Transfer(message, route, rootsFile: rootsFile, try CurlTable.loadedForRequests())
    if let upload = transfer.upload { Task { await upload.feed { thread.order(.goOn(transfer)) } } }
    let head = await withTaskCancellationHandler {
      await transfer.head { thread.order(.start(transfer)) }
    } onCancel: {
      thread.order(.cancel(transfer))
    }
    return StreamedResponse(try head.get(), Reading(transfer, thread, self))
  }

  /// The way that requests to a server take.
  private func route(to origin: Origin) throws(HTTPFailure) -> Route {
    guard origin.scheme == .https else { return .direct }
    let settings = state.withLock { state in
      let settings = state.proxies ?? ProxySettings(environment: environment)
      state.proxies = settings
      return settings
    }
    return try settings.proxy(for: origin).map { .proxied($0) } ?? .direct
  }

  /// The one thread, started by the first to ask.
  private func thread() throws(HTTPFailure) -> TransferThread {
    try state.withLock { state throws(HTTPFailure) in
      if let thread = state.thread { return thread }
      let thread = try TransferThread(try CurlTable.loadedForRequests())
      state.thread = thread
      return thread
    }
  }
}

/// The reader of a body; the transfer ends with it.
private final class Reading: Sendable {
  private let transfer: Transfer
  private let thread: TransferThread
  /// Keeps the thread from ending.
  private let client: Client

  init(_ transfer: Transfer, _ thread: TransferThread, _ client: Client) {
    self.transfer = transfer
    self.thread = thread
    self.client = client
  }

  deinit {
    // Most have ended, and the thread may sleep.
    if !transfer.hasEnded { thread.order(.cancel(transfer)) }
  }

  func next() async throws(HTTPFailure) -> [UInt8]? {
    // Most bodies are there with their head.
    if let part = transfer.response.nextAtHand({ thread.order(.goOn(transfer)) }) { return try part.get() }
    let part = await withTaskCancellationHandler {
      await transfer.response.next { thread.order(.goOn(transfer)) }
    } onCancel: {
      thread.order(.cancel(transfer))
    }
    return try part.get()
  }

  func cancel() async {
    thread.order(.cancel(transfer))
    await transfer.removed()
  }
}

extension StreamedResponse {
  fileprivate init(_ head: ResponseHead, _ reading: Reading) {
    self.init(
      head: head,
      next: { () async throws(HTTPFailure) in try await reading.next() },
      cancel: { await reading.cancel() }
    )
  }
}

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
  /// The query with a credential; `nil`: the URL's own.
  private(set) var secretQuery: Secret?
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
    let sent = try request.opened()
    try self.init(
      request.method,
      sent,
      sent.body.map { .bytes($0) } ?? .none,
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
      try request.opened(),
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
    _ sent: SentRequest,
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
    let (url, fields) = (sent.url, sent.fields)
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
    secretQuery = sent.query
    self.lines = lines
    self.body = body
    self.asksFirst = asksFirst
    self.timeout = timeout
    self.reach = reach
    self.mayBeSent = mayBeSent
    self.identity = identity
  }

  /// Releases its query, its fields, its body and its key.
  mutating func forgetSecrets() {
    secretQuery = nil
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

extension CurlTable {
  /// libcurl for requests, loaded when the first one needs it.
  ///
  /// - Throws: ``HTTPFailure/unsendable(reason:)`` if there is no library that can be used.
  static func loadedForRequests() throws(HTTPFailure) -> CurlTable {
    do throws(CurlTableFailure) { return try loaded() } catch { throw .unsendable(reason: error.reason) }
  }

  /// The failure of a request that needs an option which the library does not know.
  static let tooOld = HTTPFailure.unsendable(reason: "libcurl.so.4 is too old")
}
