package import AcctPorts
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

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
        let (listener, bound) = try await listen(at: place, in: folder, group, handlers)
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
  _ handlers: ConnectionHandlers
) async throws(ListenFailure) -> (any Channel, LocalPlace) {
  let bootstrap = ServerBootstrap(group: group)
    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    .serverChannelOption(.backlog, value: 256)
    .serverChannelInitializer { listener in
      listener.eventLoop.makeCompletedFuture { try listener.pipeline.syncOperations.addHandler(Admission(handlers)) }
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
