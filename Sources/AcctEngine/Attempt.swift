import AcctModel
import AcctPorts
import AcctProtocol

/// What is left to be tried with a request.
struct Attempt {
  let wish: MakeRequest.Wish
  private let body: RequestBody?
  var account: Account
  var policy: RetryPolicy
  /// A nonce, or the right time, may be asked for once.
  var mayChallenge: Bool
  /// A token that was refused is renewed once.
  var mayRenew: Bool
  /// A body that can't be read twice is announced before it is sent.
  var asksFirst = true
  private(set) var isFirst = true

  init(_ wish: MakeRequest.Wish, _ body: RequestBody?, _ account: Account) {
    self.wish = wish
    self.body = body
    self.account = account
    policy = RetryPolicy(wish.retries, method: wish.method)
    mayChallenge = account.tokenType == .dpop
    mayRenew = account.lease.canRenew
  }

  /// Whether the whole of the body is still there.
  var canRepeat: Bool {
    get async { await body?.canRepeat() ?? true }
  }

  /// The next request.
  ///
  /// - Parameters:
  ///   - authorization: The fields that say who makes it.
  ///   - timeout: Seconds in which something has to move.
  /// - Returns: What to send.
  /// - Throws: ``EngineError/input(_:)``, or that some of the body is gone.
  mutating func request(
    _ authorization: [HeaderField],
    _ timeout: Int
  ) async throws(EngineError) -> StreamedRequest {
    isFirst = false
    var source: ByteSource?
    if let body {
      do { source = try await body.attempt() } catch { throw .input(error) }
      guard source != nil else { throw .request(.bodyGone(status: nil, wish.url.origin)) }
    }
    return StreamedRequest(
      method: wish.method,
      url: wish.url,
      fields: authorization.map { ($0.name, $0.value) } + wish.fields.fields,
      body: source,
      asksFirst: asksFirst && source != nil && body?.comesOnce == true,
      timeout: timeout
    )
  }
}

extension StreamedResponse {
  /// How much of a refusal is read to find out its reason, in bytes.
  private static let refusalLimit = 1 << 16

  /// Why the request was refused, if it was; what had to be read of the body for that comes again.
  mutating func refusalCodes() async -> Set<String> {
    guard (400..<500).contains(head.status) else { return [] }
    let codes = DPoPRefusal.codes(status: head.status, headers: head.fields, body: [])
    guard codes.isEmpty, head.field("Content-Type")?.lowercased().contains("json") ?? false else {
      return codes
    }
    var parts: [[UInt8]] = []
    var count = 0
    var end: Result<Void, HTTPFailure>?
    while end == nil, count < Self.refusalLimit {
      do throws(HTTPFailure) {
        if let part = try await next() {
          parts.append(part)
          count += part.count
        } else {
          end = .success(())
        }
      } catch {
        end = .failure(error)
      }
    }
    self = StreamedResponse(self, after: parts, end)
    return DPoPRefusal.codes(status: head.status, headers: head.fields, body: Array(parts.joined()))
  }

  /// The same with parts that were read already.
  private init(_ rest: StreamedResponse, after parts: [[UInt8]], _ end: Result<Void, HTTPFailure>?)
  {
    let replay = Replay(parts: parts, end: end)
    self.init(
      head: rest.head,
      next: { () async throws(HTTPFailure) in
        switch await replay.next() {
        case .part(let part): return part
        case .end(let end):
          try end.get()
          return nil
        case .rest: return try await rest.next()
        }
      },
      cancel: rest.cancel
    )
  }
}

/// Parts of a body that were read before it was asked for.
private actor Replay {
  private var parts: ArraySlice<[UInt8]>
  private let end: Result<Void, HTTPFailure>?

  enum Next: Sendable {
    case part([UInt8])
    case end(Result<Void, HTTPFailure>)
    case rest
  }

  init(parts: [[UInt8]], end: Result<Void, HTTPFailure>?) {
    self.parts = parts[...]
    self.end = end
  }

  func next() -> Next {
    if let part = parts.popFirst() { return .part(part) }
    return end.map { .end($0) } ?? .rest
  }
}
