import AcctPorts
import NIOCore
import NIOHTTP1

/// The requests of one connection, answered one after the other.
struct LocalConversation {
  private let connection: LocalConnection
  private let answer: @Sendable (LocalRequest) async -> LocalResponse

  init(
    _ connection: LocalConnection,
    _ answer: @escaping @Sendable (LocalRequest) async -> LocalResponse
  ) {
    self.connection = connection
    self.answer = answer
  }

  /// Serves until either side has had enough.
  func run() async {
    do {
      try await connection.executeThenClose { inbound, outbound in
        let incoming = IncomingParts(inbound)
        while let head = try await incoming.head() {
          guard try await exchange(head, incoming, outbound) else { return }
        }
      }
    } catch {
      // A client that went away, or a connection that was cut on purpose: nobody is left to tell.
    }
  }

  /// Answers one request.
  ///
  /// - Returns: Whether the connection can take another.
  private func exchange(
    _ head: HTTPRequestHead,
    _ incoming: IncomingParts,
    _ outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
  ) async throws -> Bool {
    let waits = head.headers.contains(name: "Expect")
    let response = await answer(
      LocalRequest(
        method: head.method.rawValue,
        target: head.uri,
        fields: head.headers.map { ($0.name, $0.value) },
        body: head.hasBody
          ? incoming.body(
            length: head.length,
            before: {
              if waits { try await outbound.goAhead() }
            }
          ) : nil
      )
    )
    // What was not read of a body would be taken for the next request.
    let staysOpen = head.isKeepAlive && incoming.isAtEnd && head.method != .HEAD
    var headers = HTTPHeaders(response.fields)
    if !staysOpen { headers.replaceOrAdd(name: "Connection", value: "close") }
    let status = HTTPResponseStatus(statusCode: response.status)
    try await outbound.write(.head(.init(version: .http1_1, status: status, headers: headers)))
    while let part = try await response.next() {
      try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: part))))
    }
    try await outbound.write(.end(nil))
    return staysOpen
  }
}

extension HTTPRequestHead {
  fileprivate var length: Int64? { headers.first(name: "Content-Length").flatMap { Int64($0) } }

  fileprivate var hasBody: Bool {
    headers.contains(name: "Transfer-Encoding") || (length ?? 0) > 0
  }
}

extension NIOAsyncChannelOutboundWriter<HTTPServerResponsePart> {
  /// Lets a client send the body that it holds back (RFC 9110, section 10.1.1).
  fileprivate func goAhead() async throws {
    try await write(.head(.init(version: .http1_1, status: .continue)))
  }
}

/// The parts that come in, for one reader at a time.
///
/// Unchecked: head and body are read in turn, by whoever answers the request, never side by side.
private final class IncomingParts: @unchecked Sendable {
  private var parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
  private(set) var isAtEnd = true

  init(_ inbound: NIOAsyncChannelInboundStream<HTTPServerRequestPart>) {
    parts = inbound.makeAsyncIterator()
  }

  /// The head of the next request; `nil` at the end of the connection.
  func head() async throws -> HTTPRequestHead? {
    while let part = try await parts.next() {
      switch part {
      case .head(let head):
        isAtEnd = false
        if !head.headers.contains(name: "Transfer-Encoding"),
          (head.headers.first(name: "Content-Length").flatMap { Int64($0) } ?? 0) == 0
        {
          _ = try await parts.next()
          isAtEnd = true
        }
        return head
      case .body, .end: continue
      }
    }
    return nil
  }

  /// The body of the request whose head was read last.
  func body(length: Int64?, before: @escaping @Sendable () async throws -> Void) -> ByteSource {
    let beginning = Once(before)
    return ByteSource(length: length) { () async throws(StreamFailure) in
      do {
        try await beginning.run()
        return try await self.part()
      } catch {
        throw .failed(name: "the client's body", reason: "the connection was closed")
      }
    }
  }

  private func part() async throws -> [UInt8]? {
    while !isAtEnd, let part = try await parts.next() {
      switch part {
      case .body(let buffer) where buffer.readableBytes > 0: return Array(buffer.readableBytesView)
      case .body, .head: continue
      case .end:
        isAtEnd = true
        return nil
      }
    }
    guard isAtEnd else { throw ChannelError.eof }
    return nil
  }
}

/// Something that is done before the first part, and not before the others.
private final class Once: @unchecked Sendable {
  private var work: (@Sendable () async throws -> Void)?

  init(_ work: @escaping @Sendable () async throws -> Void) { self.work = work }

  func run() async throws { try await work.take()?() }
}
