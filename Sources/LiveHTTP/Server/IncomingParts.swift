import AcctPorts
import NIOCore
import NIOHTTP1
import Synchronization

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
