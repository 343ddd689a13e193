import AcctPorts
import NIOCore
import NIOHTTP1
import Synchronization

/// The requests of one connection, answered one after the other.
struct ConnectionHandler: Sendable {
  let connection: LocalConnection
  let connections: OpenConnections
  let answer: @Sendable (LocalRequest) async -> LocalResponse
  private let executor: LoopExecutor
  /// The port that it came to; `nil` on a socket.
  private let port: Int?

  init(
    _ connection: LocalConnection,
    among connections: OpenConnections,
    on executor: LoopExecutor,
    _ answer: @escaping @Sendable (LocalRequest) async -> LocalResponse
  ) {
    self.connection = connection
    self.connections = connections
    self.answer = answer
    self.executor = executor
    port = connection.channel.localAddress?.port
  }

  /// The most bytes of an unread body that are read for its client's sake.
  private static let courtesy = 16 << 20
  /// The most bytes that are written at once: copies of whole parts would come from and go back to the system each
  /// time.
  private static let piece = 1 << 16

  /// Serves until either side ends the connection.
  func serve() async {
    do {
      try await connection.executeThenClose { inbound, outbound in
        let incoming = IncomingParts(inbound)
        do {
          while let head = try await incoming.head() {
            connections.begin(connection.channel)
            guard try await exchange(head, incoming, outbound) else { break }
            connections.rest(connection.channel, wasValid: true)
          }
          try await incoming.takeBack(limit: Self.courtesy)
        } catch let error where error is HTTPParserError && incoming.isAtEnd {
          try await outbound.refuse()
        }
      }
    } catch {
      // The client disconnected, or the connection was cut on purpose: no receiver is left.
    }
  }

  /// Answers one request.
  ///
  /// - Returns: `true` if the connection can take another.
  private func exchange(
    _ head: HTTPRequestHead,
    _ incoming: IncomingParts,
    _ outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
  ) async throws -> Bool {
    let waits = head.headers.contains(name: "Expect")
    let response = await answer(
      LocalRequest(
        method: head.methodName,
        target: FieldBytes.text(head.uri),
        fields: head.headers.map { ($0.name, FieldBytes.text($0.value)) },
        body: head.hasBody
          ? incoming.body(
            length: head.length,
            before: {
              if waits { try await outbound.goAhead() }
            }
          ) : nil,
        port: port,
        turn: executor.turn()
      )
    )
    var headers = HTTPHeaders(response.fields.map { ($0.name, FieldBytes.carried($0.value)) })
    // The encoder writes the last chunk of a body that the answer to HEAD only announces.
    let endsByItself = head.method != .HEAD || headers.contains(name: "Content-Length")
    // Unread bytes of a body would be taken for the next request.
    let staysOpen =
      head.isKeepAlive && head.version != .http1_0 && incoming.isAtEnd && endsByItself
      && !response.endsConnection
    if !staysOpen { headers.replaceOrAdd(name: "Connection", value: "close") }
    let status = HTTPResponseStatus(statusCode: response.status)
    // For a client of HTTP/1.0, which knows no chunks (RFC 9112, section 6.1).
    try await outbound.write(.head(.init(version: head.version, status: status, headers: headers)))
    let length = headers.first(name: "Content-Length").flatMap { Int64($0) }
    try await writeBody(response, length, endsByItself: endsByItself, outbound)
    // A client that got its answer may still be reading it; one that was rejected has a deadline.
    if response.endsConnection { connections.rest(connection.channel, wasValid: false) }
    return staysOpen
  }

  private func writeBody(
    _ response: LocalResponse,
    _ length: Int64?,
    endsByItself: Bool,
    _ outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
  ) async throws {
    var left = length
    // The part that completes the length is written with the end, which its sender has at once.
    var last: [HTTPServerResponsePart] = []
    do {
      while let part = try await response.next() {
        // Bytes beyond the length would be taken for the next answer.
        left? -= Int64(part.count)
        if let left, left < 0 { throw ChannelError.inputClosed }
        for start in stride(from: 0, to: part.count, by: Self.piece) {
          let end = min(start + Self.piece, part.count)
          let piece = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: part[start..<end])))
          if left == 0, end == part.count {
            last = [piece]
          } else {
            try await outbound.write(piece)
          }
        }
      }
    } catch {
      // The announced bytes are its client's; more of them end the connection.
      if !last.isEmpty { try await outbound.write(contentsOf: last) }
      throw error
    }
    if endsByItself { last.append(.end(nil)) }
    if !last.isEmpty { try await outbound.write(contentsOf: last) }
  }
}

extension HTTPRequestHead {
  /// The method as it was on the request line: NIO has a name of its own for one of them.
  fileprivate var methodName: String { method == .MSEARCH ? "M-SEARCH" : method.rawValue }
}

extension NIOAsyncChannelOutboundWriter<HTTPServerResponsePart> {
  /// Answers a malformed request.
  fileprivate func refuse() async throws {
    let fields = HTTPHeaders([("Connection", "close"), ("Content-Length", "0")])
    try await write(.head(.init(version: .http1_1, status: .badRequest, headers: fields)))
    try await write(.end(nil))
  }

  /// Lets a client send the body that it holds back (RFC 9110, section 10.1.1).
  fileprivate func goAhead() async throws { try await write(.head(.init(version: .http1_1, status: .continue))) }
}

/// The parts that come in on a connection, for one reader at a time.
///
/// A task that passes a body on may still wait for a part of it when the answer has already been
/// sent; the connection then takes the rest over. So readers take turns, and a late reader is
/// rejected.
final class IncomingParts: @unchecked Sendable {
  typealias Parts = NIOAsyncChannelInboundStream<HTTPServerRequestPart>

  private var parts: Parts.AsyncIterator
  private let state = Mutex(State())

  private struct State {
    /// The request whose body is being read.
    var request = 0
    var isAtEnd = true
    var isReading = false
    var waiting: CheckedContinuation<Void, Never>?
  }

  init(_ inbound: Parts) { parts = inbound.makeAsyncIterator() }

  /// `true` if nothing of the last request is left to be read.
  var isAtEnd: Bool { state.withLock { $0.isAtEnd } }

  /// The head of the next request; `nil` at the end of the connection.
  ///
  /// - Throws: The connection's error; `HTTPParserError` for a length that is too large to count.
  func head() async throws -> HTTPRequestHead? {
    while let part = try await parts.next() {
      guard case .head(let head) = part else { continue }
      guard head.isCountable else { throw HTTPParserError.invalidContentLength }
      state.withLock { state in
        state.request += 1
        state.isAtEnd = false
      }
      if !head.hasBody {
        _ = try await parts.next()
        state.withLock { $0.isAtEnd = true }
      }
      return head
    }
    return nil
  }

  /// The body of the request whose head was read last.
  ///
  /// - Parameters:
  ///   - length: In bytes, if the client has announced it.
  ///   - before: Is done before the first part is waited for.
  /// - Returns: The body; it is over when ``takeBack(limit:)`` is called.
  func body(length: Int64?, before: @escaping @Sendable () async throws -> Void) -> ByteSource {
    let request = state.withLock { $0.request }
    let beginning = Once(before)
    return ByteSource(length: length) { () async throws(StreamFailure) in
      do {
        try await beginning.run()
        return try await self.part(of: request)
      } catch {
        throw .failed(name: "the client's body", reason: "the connection was closed")
      }
    }
  }

  /// Reads and drops the rest of a body, so that its client gets to read the answer.
  ///
  /// A connection that is closed with unread bytes is reset, and a reset discards what its other
  /// end has not read yet (RFC 9112, section 9.6).
  ///
  /// - Parameter limit: The maximum, in bytes.
  /// - Throws: The connection's error.
  func takeBack(limit: Int) async throws {
    let request = state.withLock { state in
      state.request += 1
      return state.request
    }
    var left = limit
    while left > 0, let part = try await part(of: request) { left -= part.count }
  }

  private func part(of request: Int) async throws -> [UInt8]? {
    await takeTurn()
    defer { endTurn() }
    guard state.withLock({ $0.request == request }) else { throw ChannelError.eof }
    while !isAtEnd {
      switch try await parts.next() {
      case .body(let buffer) where buffer.readableBytes > 0: return Array(buffer.readableBytesView)
      case .body, .head: continue
      case .end: state.withLock { $0.isAtEnd = true }
      case nil: throw ChannelError.eof
      }
    }
    return nil
  }

  private func takeTurn() async {
    await withCheckedContinuation { reader in
      state.withLock { state in
        if state.isReading {
          state.waiting = reader
        } else {
          state.isReading = true
          reader.resume()
        }
      }
    }
  }

  private func endTurn() {
    state.withLock { state in
      if let next = state.waiting.take() { next.resume() } else { state.isReading = false }
    }
  }
}

extension HTTPRequestHead {
  /// The announced length of the body, in bytes.
  var length: Int64? { headers.first(name: "Content-Length").flatMap { Int64($0) } }

  /// `true` if the length, where one is given, is a number of bytes; NIO takes those up to 2^64.
  fileprivate var isCountable: Bool { headers["Content-Length"].allSatisfy { Int64($0).map { $0 >= 0 } ?? false } }

  var hasBody: Bool { headers.contains(name: "Transfer-Encoding") || (length ?? 0) > 0 }
}

/// Something that is done before the first part, and not before the others.
private final class Once: @unchecked Sendable {
  private var work: (@Sendable () async throws -> Void)?

  init(_ work: @escaping @Sendable () async throws -> Void) { self.work = work }

  func run() async throws { try await work.take()?() }
}
