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
  }

  init(
    _ connections: OpenConnections,
    _ answer: @escaping @Sendable (LocalRequest) async -> LocalResponse
  ) {
    self.connections = connections
    self.answer = answer
  }

  /// Whether a new connection may stay.
  func admit(_ channel: any Channel) -> Bool { connections.admit(channel) }

  /// Serves a connection, on its event loop.
  ///
  /// Work for a client that disconnects is cancelled.
  func begin(_ connection: LocalConnection) {
    let handler = ConnectionHandler(connection, among: connections, answer)
    let executor = LoopExecutor(connection.channel.eventLoop)
    let work = state.withLock { state in
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
    connection.channel.closeFuture.whenComplete { _ in work.cancel() }
  }

  /// Ends what is open; no connection may be accepted any more.
  func end() async {
    let open = state.withLock { Array($0.open.values) }
    for handler in open { handler.cancel() }
    for handler in open { await handler.value }
  }
}
