import AcctModel
package import AcctPorts
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

extension CallbackListener {
  /// A small HTTP/1.1 server on 127.0.0.1, and on ::1 with the same port if that is available.
  ///
  /// It takes one request from each connection, and only within 10 seconds and 64 KiB. At most 100
  /// connections are open at once, or a quarter of `RLIMIT_NOFILE` where that is less. It starts one
  /// thread, which ends with ``Listening/close``. A wait that is cancelled ends all waiting.
  ///
  /// - Parameters:
  ///   - owner: Tells the user that a connection belongs to.
  ///   - timeout: The time for which a connection may stay without a whole request.
  /// - Returns: The listener; nothing is started before ``CallbackListener/listen``.
  package static func live(owner: SocketOwner = .kernel, timeout: Duration = .seconds(10)) -> CallbackListener {
    CallbackListener { redirect throws(ListenFailure) in
      let server = try await CallbackServer.listen(at: redirect, owner, timeout)
      return Listening(port: server.port, next: { await server.next() }, close: { await server.close() })
    }
  }
}

/// A listener at work.
private final class CallbackServer: Sendable {
  let port: Int
  private let group: MultiThreadedEventLoopGroup
  private let listeners: [any Channel]
  private let connections: OpenConnections
  private let continuation: AsyncStream<Callback>.Continuation
  private let callbacks: AsyncStream<Callback>

  private init(
    _ port: Int,
    _ group: MultiThreadedEventLoopGroup,
    _ listeners: [any Channel],
    _ connections: OpenConnections,
    _ continuation: AsyncStream<Callback>.Continuation,
    _ callbacks: AsyncStream<Callback>
  ) {
    self.port = port
    self.group = group
    self.listeners = listeners
    self.connections = connections
    self.continuation = continuation
    self.callbacks = callbacks
  }

  static func listen(
    at redirect: LoopbackRedirect,
    _ owner: SocketOwner,
    _ timeout: Duration
  ) async throws(ListenFailure) -> CallbackServer {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let (callbacks, continuation) = AsyncStream.makeStream(of: Callback.self)
    let connections = OpenConnections(limit: OpenConnections.share(atMost: 100), timeout: timeout)
    let bootstrap = ServerBootstrap(group: group)
      // Connections of an earlier sign-in that linger in TIME_WAIT don't keep the port.
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        guard connections.admit(channel) else { return channel.close() }
        return channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(ByteBudget())
          try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
          try pipeline.addHandler(CallbackHandler(connections, owner, redirect) { continuation.yield($0) })
        }
      }
    do {
      let first = try await bootstrap.bind(host: "127.0.0.1", port: redirect.port ?? 0).get()
      guard let bound = first.localAddress?.port else { throw ChannelError.unknownLocalAddress }
      var listeners = [first]
      // Without IPv6 this listener is not needed, unless the redirect address names it.
      if let second = try? await bootstrap.bind(host: "::1", port: bound).get() {
        listeners.append(second)
      } else if redirect.host == .ipv6 {
        try? await first.close()
        throw ChannelError.unknownLocalAddress
      }
      return CallbackServer(bound, group, listeners, connections, continuation, callbacks)
    } catch {
      await group.end()
      throw ListenFailure.failed(port: redirect.port, reason: reason(error))
    }
  }

  func next() async -> Callback? {
    var iterator = callbacks.makeAsyncIterator()
    let callback = await iterator.next()
    // A callback that came before the end and was not taken has been answered by then.
    return connections.haveEnded ? nil : callback
  }

  func close() async {
    guard let open = connections.end() else { return }
    continuation.finish()
    for listener in listeners { listener.close(promise: nil) }
    for visitor in open { visitor.pipeline.fireUserInboundEventTriggered(CallbackHandler.Order.leave) }
    let timeout = group.next().scheduleTask(in: .seconds(2)) {
      for visitor in open { visitor.close(promise: nil) }
    }
    for channel in listeners + open {
      // It never fails, and how a connection ended does not matter.
      try? await channel.closeFuture.get()
    }
    timeout.cancel()
    await group.end()
  }
}
