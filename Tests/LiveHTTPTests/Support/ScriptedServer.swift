import NIOCore
import NIOPosix
import Synchronization

/// A server on loopback that answers each request as the test says, byte for byte.
final class ScriptedServer: Sendable {
  /// A request as it came, undecoded.
  struct Request: Sendable {
    var line: String
    var fields: [String]
    var body: String
    /// Which of the server's connections it came on, from 1.
    var connection: Int
  }

  /// What to do with the connection, in order.
  ///
  /// After the last step it stays open.
  enum Step: Sendable {
    case send(String)
    /// Sends this again and again for as long as the client takes it.
    case sendForever(String)
    case close
    /// Closes without a word, of TLS either, as a cut cable would.
    case reset
    /// Passes on what comes to a server with TLS, as a proxy's tunnel does.
    case startTunnel
  }

  typealias Script = @Sendable (Request) -> [Step]

  let port: Int
  /// Every request, as it comes.
  let requests: AsyncStream<Request>
  /// One element for each connection that ended.
  let endings: AsyncStream<Void>
  private let log: Log

  /// What came so far.
  var received: [Request] { log.requests.withLock { $0 } }
  /// How many connections were made so far.
  var connections: Int { log.connections.withLock { $0 } }

  private init(port: Int, log: Log) {
    self.port = port
    self.log = log
    requests = log.stream
    endings = log.endings
  }

  /// What a connection writes down for the test.
  final class Log: Sendable {
    let requests = Mutex<[Request]>([])
    let connections = Mutex(0)
    let (stream, arrivals) = AsyncStream.makeStream(of: Request.self)
    let (endings, ends) = AsyncStream.makeStream(of: Void.self)
  }

  /// Serves for as long as `body` runs.
  ///
  /// - Parameters:
  ///   - tls: Speaks TLS from the start.
  ///   - farEnd: Speaks TLS at the far end of the tunnels that it starts, and answers there by the
  ///     same script.
  ///   - socks: Plays a SOCKS proxy first, which replies with this code; 0 is success.
  ///   - greeting: Is sent before anything has come.
  ///   - script: Answers a request.
  ///   - body: The test.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, or that no port is to be had.
  static func serving<Answer: Sendable>(
    tls: ServerIdentity? = nil,
    behind farEnd: ServerIdentity? = nil,
    socks: UInt8? = nil,
    greeting: String? = nil,
    _ script: @escaping Script,
    _ body: (ScriptedServer) async throws -> Answer
  ) async throws -> Answer {
    let log = Log()
    var listeners: [any Channel] = []
    func listen(socks: UInt8? = nil, farEnd: Int? = nil) async throws -> Int {
      let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in
          let number = log.connections.withLock { count in
            count += 1
            return count
          }
          channel.closeFuture.whenComplete { _ in log.ends.yield() }
          return channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            if let socks { try pipeline.addHandler(SOCKSFront(reply: socks)) }
            try pipeline.addHandler(ScriptHandler(number, script: script, greeting: greeting, farEnd: farEnd, log: log))
          }
        }
        .bind(host: "127.0.0.1", port: 0).get()
      listeners.append(listener)
      return listener.localAddress?.port ?? 0
    }
    let outcome: Result<Answer, any Error>
    do {
      var front: TLSFront?
      if let identity = tls ?? farEnd { front = try await TLSFront(identity, before: listen()) }
      let port: Int
      if tls != nil, let front {
        port = front.port
      } else {
        port = try await listen(socks: socks, farEnd: front?.port)
      }
      outcome = .success(try await body(ScriptedServer(port: port, log: log)))
      withExtendedLifetime(front) {}
    } catch {
      outcome = .failure(error)
    }
    for listener in listeners { try await listener.close() }
    return try outcome.get()
  }
}

/// Gives any SOCKS 5 client the same reply (RFC 1928), then gets out of the way.
private final class SOCKSFront: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = ByteBuffer
  private let reply: UInt8
  private var greeted = false

  init(reply: UInt8) { self.reply = reply }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard greeted else {
      greeted = true
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [5, 0])), promise: nil)
      return
    }
    let bytes = Array(unwrapInboundIn(data).readableBytesView)
    // The name that was asked for is shown to the script as a CONNECT would show it.
    let host = String(decoding: bytes.dropFirst(5).dropLast(2), as: UTF8.self)
    let port = bytes.suffix(2).reduce(0) { $0 << 8 | Int($1) }
    let answer: [UInt8] = [5, reply, 0, 1, 0, 0, 0, 0, 0, 0]
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: answer)), promise: nil)
    context.fireChannelRead(wrapInboundOut(ByteBuffer(string: "SOCKS \(host):\(port) HTTP/1.1\r\n\r\n")))
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }
}
