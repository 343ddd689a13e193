import AcctPorts
import NIOCore
import NIOHTTP1

/// The requests of one connection, answered one after the other.
struct ConnectionHandler: Sendable {
  private let connection: LocalConnection
  private let connections: OpenConnections
  private let answer: @Sendable (LocalRequest) async -> LocalResponse

  /// The most bytes of an unread body that are read for its client's sake.
  private static let courtesy = 16 << 20
  /// The most bytes that are written at once: copies of whole parts would come from and go back to the system each
  /// time.
  private static let piece = 1 << 16

  init(
    _ connection: LocalConnection,
    among connections: OpenConnections,
    _ answer: @escaping @Sendable (LocalRequest) async -> LocalResponse
  ) {
    self.connection = connection
    self.connections = connections
    self.answer = answer
  }

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
        port: connection.channel.localAddress?.port
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
