package import AcctPorts
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

extension LocalServer {
  /// A server with back-pressure both ways: a slow reader slows its writer down.
  ///
  /// It has a thread for each core, but no more than four. Requests are answered there, too.
  ///
  /// At most 256 connections are open at once, or a quarter of `RLIMIT_NOFILE` where that is less.
  ///
  /// - Parameters:
  ///   - limit: Fewer connections than that.
  ///   - timeout: The time for which a connection may stay without a valid request.
  ///   - folder: Creates acct's own folder for sockets if it is missing, and returns its path.
  /// - Returns: The server; nothing is started before ``LocalServer/serve``.
  package static func live(
    limit: Int = 256,
    timeout: Duration = .seconds(10),
    folder: @escaping @Sendable () throws(ListenFailure) -> String
  ) -> LocalServer {
    LocalServer(sideExecutor: globalConcurrentExecutor) { place, answer throws(ListenFailure) in
      let group = MultiThreadedEventLoopGroup(numberOfThreads: min(System.coreCount, 4))
      do throws(ListenFailure) {
        let connections = OpenConnections(limit: OpenConnections.share(atMost: limit), timeout: timeout)
        let handlers = ConnectionHandlers(connections, answer)
        let (listener, bound) = try await listen(at: place, in: folder, group, connections, handlers)
        return Serving(place: bound) {
          // It fails only where it has been closed already.
          try? await listener.close()
          await handlers.end()
          if case .socket(let path?) = bound { unsafe unlink(path) }
          await group.end()
        }
      } catch {
        await group.end()
        throw error
      }
    }
  }
}

typealias LocalConnection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

private func listen(
  at place: LocalPlace,
  in folder: () throws(ListenFailure) -> String,
  _ group: MultiThreadedEventLoopGroup,
  _ connections: OpenConnections,
  _ handlers: ConnectionHandlers
) async throws(ListenFailure) -> (any Channel, LocalPlace) {
  let bootstrap = ServerBootstrap(group: group)
    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    .serverChannelOption(.backlog, value: 256)
    .serverChannelInitializer { listener in
      listener.eventLoop.makeCompletedFuture { try listener.pipeline.syncOperations.addHandler(Admission(connections)) }
    }
    .childChannelInitializer { channel in
      channel.eventLoop.makeCompletedFuture { try handlers.begin(on: channel) { try connection(channel) } }
    }
  switch place {
  case .port(let port):
    do {
      let listener = try await bootstrap.bind(host: "127.0.0.1", port: port ?? 0).get()
      return (listener, .port(listener.localAddress?.port ?? port ?? 0))
    } catch {
      throw .failed(port: port, reason: reason(error))
    }
  case .socket(let given):
    let path: String
    if let given { path = given } else { path = "\(try folder())/proxy" }
    try await clearTheWay(path, group)
    // The socket must never be there with more rights than its owner's, not even for a moment.
    let mask = umask(0o177)
    defer { umask(mask) }
    do {
      let listener = try await bootstrap.bind(unixDomainSocketPath: path).get()
      return (listener, .socket(path: path))
    } catch {
      throw .unusableSocket(path: path, reason: reason(error))
    }
  }
}

/// Makes a connection of a channel that has just been accepted; to be called on its event loop.
private func connection(_ channel: any Channel) throws -> LocalConnection {
  // Not NIO's own server pipeline: requests are answered in turn anyhow, and its handler of
  // errors takes over an answer that another is about to give, which its next handler forbids.
  let pipeline = channel.pipeline.syncOperations
  let bytes = FieldBytes()
  try pipeline.addHandler(FieldBytes.WireSide(bytes))
  try pipeline.addHandler(HTTPResponseEncoder())
  try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
  try pipeline.addHandler(FieldBytes.MessageSide(bytes))
  try pipeline.addHandler(NIOHTTPResponseHeadersValidator())
  try pipeline.addHandler(HeadWithBody())
  return try LocalConnection(wrappingChannelSynchronously: channel)
}

/// Takes a socket away that a process left which is no more; anything else stays.
private func clearTheWay(_ path: String, _ group: MultiThreadedEventLoopGroup) async throws(ListenFailure) {
  var status = stat()
  guard unsafe lstat(path, &status) == 0 else { return }
  guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
    throw .unusableSocket(path: path, reason: "another file exists there")
  }
  guard await !isAnswered(path, group) else {
    throw .unusableSocket(path: path, reason: "another process listens there")
  }
  unsafe unlink(path)
}

private func isAnswered(_ path: String, _ group: MultiThreadedEventLoopGroup) async -> Bool {
  do {
    let connection = try await ClientBootstrap(group: group).connect(unixDomainSocketPath: path).get()
    // It fails only where it has been closed already.
    try? await connection.close()
    return true
  } catch let error as IOError {
    // Any other failure, such as a queue that is full, is a process's. Without a file there is none.
    return ![ECONNREFUSED, ENOENT].contains(error.errnoCode)
  } catch { return true }
}

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
    /// One for each event loop.
    var executors: [ObjectIdentifier: LoopExecutor] = [:]
    var hasEnded = false

    mutating func executor(of loop: any EventLoop) -> LoopExecutor {
      let id = ObjectIdentifier(loop)
      let executor = executors[id] ?? LoopExecutor(loop)
      executors[id] = executor
      return executor
    }
  }

  init(_ connections: OpenConnections, _ answer: @escaping @Sendable (LocalRequest) async -> LocalResponse) {
    self.connections = connections
    self.answer = answer
  }

  /// Serves a connection, on its event loop; closes it if the server has ended.
  ///
  /// Work for a client that disconnects is cancelled.
  ///
  /// - Parameters:
  ///   - channel: The channel of the connection.
  ///   - connection: Makes it.
  /// - Throws: What `connection` throws.
  func begin(on channel: any Channel, _ connection: () throws -> LocalConnection) throws {
    // Another loop may end the server meanwhile, which has to know of every task.
    let work = try state.withLock { state -> Task<Void, Never>? in
      guard !state.hasEnded else { return nil }
      let executor = state.executor(of: channel.eventLoop)
      let handler = ConnectionHandler(try connection(), among: connections, on: executor, answer)
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
  private let connections: OpenConnections

  init(_ connections: OpenConnections) { self.connections = connections }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let channel = unwrapInboundIn(data)
    guard connections.admit(channel) else { return channel.close(promise: nil) }
    context.fireChannelRead(data)
  }
}

/// Sends an answer's head with the first part of its body, if that comes at once: one system call, and one packet.
///
/// A head is sent when the event loop has done its pending work; a body that takes longer does not hold it up.
final class HeadWithBody: ChannelOutboundHandler {
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart
  /// `true` if an answer's head was written, and nothing of its body.
  private var hasHeadAlone = false
  /// `true` if the head has to be sent still.
  private var isDelayed = false

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    // An interim answer (RFC 9110, section 15.2) has no body: its client waits for it.
    if case .head(let head) = unwrapOutboundIn(data), head.status.code >= 200 {
      hasHeadAlone = true
    } else {
      hasHeadAlone = false
    }
    context.write(data, promise: promise)
  }

  func flush(context: ChannelHandlerContext) {
    guard hasHeadAlone else { return send(context) }
    isDelayed = true
    let context = NIOLoopBound(context, eventLoop: context.eventLoop)
    let handler = NIOLoopBound(self, eventLoop: context.value.eventLoop)
    context.value.eventLoop.execute {
      if handler.value.isDelayed { handler.value.send(context.value) }
    }
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    // Bytes that are written and not sent would be dropped.
    if isDelayed { send(context) }
    context.close(mode: mode, promise: promise)
  }

  /// The context is not to be used any more.
  func handlerRemoved(context: ChannelHandlerContext) { isDelayed = false }

  private func send(_ context: ChannelHandlerContext) {
    isDelayed = false
    context.flush()
  }
}

extension MultiThreadedEventLoopGroup {
  /// Ends the thread.
  func end() async {
    // It fails only where it has ended already.
    try? await shutdownGracefully()
  }
}

func reason(_ error: any Error) -> String {
  guard let error = error as? IOError else { return "the system can't" }
  let words = unsafe String(cString: strerror(error.errnoCode))
  return words.prefix(1).lowercased() + words.dropFirst()
}

/// The connections to a listener that are open now.
///
/// Any local program, and a page in the browser, can connect to a port. So there is a limit, at
/// which the oldest connection that has not sent a valid request is closed for a new one; and such
/// a connection ends after a while in any case. A connection that waits for an answer is never
/// closed in favour of another.
final class OpenConnections: Sendable {
  private let limit: Int
  /// The time for which a connection may stay without a valid request; `nil` where its handler sees to that.
  private let timeout: TimeAmount?
  private let state = Mutex(State())

  private struct State {
    var count = 0
    var open: [ObjectIdentifier: Connection] = [:]
    var haveEnded = false
  }

  private struct Connection {
    let channel: any Channel
    var stage = Stage.fresh
    /// When it got there, in the order of all such events.
    var order: Int
    var deadline: Scheduled<Void>?
  }

  /// The state of a connection; earlier states are closed first.
  private enum Stage: Int {
    /// It has not sent a valid request.
    case fresh
    /// It has, and waits for nothing now.
    case idle
    case atWork
  }

  /// - Parameters:
  ///   - limit: The greatest number that may be open at once.
  ///   - timeout: The time for which one may stay without a valid request.
  init(limit: Int, timeout: Duration?) {
    self.limit = limit
    self.timeout = timeout.map { TimeAmount($0) }
  }

  var haveEnded: Bool { state.withLock { $0.haveEnded } }

  /// Admits a connection, if need be in place of another one.
  ///
  /// - Returns: `true` if it may stay.
  func admit(_ channel: any Channel) -> Bool {
    let id = ObjectIdentifier(channel)
    var isAdmitted = false
    let displaced = state.withLock { state -> (any Channel)? in
      guard !state.haveEnded else { return nil }
      var displaced: (any Channel)?
      if state.open.count >= limit {
        let waiting = state.open.filter { $0.value.stage != .atWork }
        guard
          let first = waiting.min(by: {
            ($0.value.stage.rawValue, $0.value.order)
              < ($1.value.stage.rawValue, $1.value.order)
          })
        else { return nil }
        first.value.deadline?.cancel()
        state.open[first.key] = nil
        displaced = first.value.channel
      }
      state.count += 1
      state.open[id] = Connection(channel: channel, order: state.count, deadline: deadline(channel))
      isAdmitted = true
      return displaced
    }
    displaced?.close(promise: nil)
    guard isAdmitted else { return false }
    channel.closeFuture.whenComplete { _ in
      self.state.withLock { $0.open.removeValue(forKey: id)?.deadline?.cancel() }
    }
    return true
  }

  /// Notes that a connection has sent a valid request, which is being answered.
  func begin(_ channel: any Channel) { change(channel, to: .atWork) }

  /// Notes that a connection has had its answer.
  ///
  /// - Parameters:
  ///   - channel: The connection.
  ///   - wasValid: `true` if the request turned out to be one that this listener serves; if not, the connection has
  ///     proved nothing, and its time runs.
  func rest(_ channel: any Channel, wasValid: Bool) { change(channel, to: wasValid ? .idle : .fresh) }

  /// Admits no connection any more.
  ///
  /// - Returns: The connections that are still open; `nil` if it had ended before.
  func end() -> [any Channel]? {
    state.withLock { state in
      guard !state.haveEnded else { return nil }
      state.haveEnded = true
      return state.open.values.map(\.channel)
    }
  }

  private func change(_ channel: any Channel, to stage: Stage) {
    state.withLock { state in
      guard var connection = state.open[ObjectIdentifier(channel)] else { return }
      connection.deadline?.cancel()
      connection.deadline = stage == .fresh ? deadline(channel) : nil
      state.count += 1
      connection.order = state.count
      connection.stage = stage
      state.open[ObjectIdentifier(channel)] = connection
    }
  }

  private func deadline(_ channel: any Channel) -> Scheduled<Void>? {
    timeout.map { timeout in channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) } }
  }

  /// A share of the files that this process may have open: each connection may need another one to a
  /// server, and keyring and account files come on top.
  static func share(atMost most: Int) -> Int {
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return max(8, min(most, Int(clamping: limit.rlim_cur / 4)))
  }
}
