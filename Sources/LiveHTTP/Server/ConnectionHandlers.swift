import AcctPorts
import NIOCore
import Synchronization

/// The connections of one server, each a task that begins when its connection is accepted.
///
/// Not a sequence of connections to be served in turn: when the server is stopped, those that wait
/// are dropped, and NIO ends the process if a connection is dropped without being closed.
final class ConnectionHandlers: Sendable {
  private let connections: OpenConnections
  private let answer: @Sendable (LocalRequest) async -> LocalResponse
  private let state = Mutex(State())

  private struct State {
    var count = 0
    var open: [Int: Task<Void, Never>] = [:]
    var hasEnded = false
  }

  init(_ connections: OpenConnections, _ answer: @escaping @Sendable (LocalRequest) async -> LocalResponse) {
    self.connections = connections
    self.answer = answer
  }

  /// Decides whether a new connection may stay.
  func admit(_ channel: any Channel) -> Bool { connections.admit(channel) }

  /// Serves a connection, on its event loop; closes it if the server has ended.
  ///
  /// Work for a client that disconnects is cancelled.
  ///
  /// - Parameters:
  ///   - channel: The channel of the connection.
  ///   - connection: Makes it.
  /// - Throws: What `connection` throws.
  func begin(on channel: any Channel, _ connection: () throws -> LocalConnection) throws {
    let executor = LoopExecutor(channel.eventLoop)
    // Another loop may end the server meanwhile, which has to know of every task.
    let work = try state.withLock { state -> Task<Void, Never>? in
      guard !state.hasEnded else { return nil }
      let handler = ConnectionHandler(try connection(), among: connections, answer)
      state.count += 1
      let number = state.count
      let work = Task(executorPreference: executor) {
        await handler.serve()
        self.state.withLock { _ = $0.open.removeValue(forKey: number) }
      }
      // It can't end before it is noted: for that it needs the lock.
      state.open[number] = work
      return work
    }
    guard let work else { return channel.close(promise: nil) }
    channel.closeFuture.whenComplete { _ in work.cancel() }
  }

  /// Ends the open connections, and serves none any more.
  func end() async {
    let open = state.withLock { state in
      state.hasEnded = true
      return Array(state.open.values)
    }
    for handler in open { handler.cancel() }
    for handler in open { await handler.value }
  }
}

/// Admits connections to a server in the order in which they came, before each goes on to an event loop of its own.
final class Admission: ChannelInboundHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel
  private let handlers: ConnectionHandlers

  init(_ handlers: ConnectionHandlers) { self.handlers = handlers }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let channel = unwrapInboundIn(data)
    guard handlers.admit(channel) else { return channel.close(promise: nil) }
    context.fireChannelRead(data)
  }
}
