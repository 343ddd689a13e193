import NIOCore
import NIOPosix

/// A client that sends bytes as they are, and collects what comes back until the other end closes.
struct Visitor: Sendable {
  private let channel: any Channel
  private let parts: AsyncStream<String>

  /// Connects to a port on loopback.
  init(to port: Int, host: String = "127.0.0.1") async throws {
    let (parts, part) = AsyncStream.makeStream(of: String.self)
    self.parts = parts
    channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Collector(part)) }
    }
    .connect(host: host, port: port).get()
  }

  /// Connects to a socket in the file system.
  init(at path: String) async throws {
    let (parts, part) = AsyncStream.makeStream(of: String.self)
    self.parts = parts
    channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Collector(part)) }
    }
    .connect(unixDomainSocketPath: path).get()
  }

  /// Stops to read what comes, or goes on.
  func read(_ reads: Bool) async throws { try await channel.setOption(.autoRead, value: reads).get() }

  func send(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)).get() }

  /// Everything that came, once the connection has ended.
  func everything() async -> String { await parts.reduce("", +) }

  /// What came until this did, or the connection ended.
  func until(_ text: String) async -> String {
    var all = ""
    for await part in parts {
      all += part
      if all.contains(text) { break }
    }
    return all
  }

  func close() async throws { try await channel.close().get() }
}

private final class Collector: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let part: AsyncStream<String>.Continuation

  init(_ part: AsyncStream<String>.Continuation) { self.part = part }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { part.yield(String(buffer: unwrapInboundIn(data))) }

  func channelInactive(context: ChannelHandlerContext) { part.finish() }

  /// A reset ends a connection as well.
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
