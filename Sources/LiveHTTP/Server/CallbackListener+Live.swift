import AcctModel
package import AcctPorts
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Secrets

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
private struct CallbackServer: Sendable {
  let port: Int
  let group: MultiThreadedEventLoopGroup
  let listeners: [any Channel]
  let connections: OpenConnections
  let continuation: AsyncStream<Callback>.Continuation
  let callbacks: AsyncStream<Callback>

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
      return CallbackServer(
        port: bound,
        group: group,
        listeners: listeners,
        connections: connections,
        continuation: continuation,
        callbacks: callbacks
      )
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

/// One connection to the callback listener: one request, one answer, the end.
final class CallbackHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = ByteBuffer

  /// Events for a connection from outside.
  enum Order: Sendable {
    case answer(CallbackPage)
    /// Ends once everything is sent.
    case leave
  }

  private enum State {
    /// Waits for the rest of the request.
    case reading(HTTPRequestHead?)
    /// A callback has been delivered, and its answer has not come yet.
    case handedOver
    case answered
  }

  private let connections: OpenConnections
  private let owner: SocketOwner
  private let redirect: LoopbackRedirect
  private let deliver: (Callback) -> Void
  private var state = State.reading(nil)

  /// - Parameters:
  ///   - connections: Is told when this one has sent its callback.
  ///   - owner: Finds the user of a connection.
  ///   - redirect: The address that callbacks come to.
  ///   - deliver: Takes the callback.
  init(
    _ connections: OpenConnections,
    _ owner: SocketOwner,
    _ redirect: LoopbackRedirect,
    deliver: @escaping (Callback) -> Void
  ) {
    self.connections = connections
    self.owner = owner
    self.redirect = redirect
    self.deliver = deliver
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .reading(let head) = state else { return }
    switch unwrapInboundIn(data) {
    case .head(let head): state = .reading(head)
    case .body: break
    case .end: if let head { take(head, context) }
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch (event as? Order, state) {
    case (.answer(let page), .handedOver): send(CallbackAnswer(page), context)
    case (.leave, .handedOver): send(CallbackAnswer(.unexpected), context)
    case (.leave, .reading): context.close(promise: nil)
    case (.answer, _), (.leave, .answered): break
    case (nil, _): context.fireUserInboundEventTriggered(event)
    }
  }

  /// Reset, or not HTTP.
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func take(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let port = context.channel.localAddress?.port ?? 0
    // A page whose host name was rebound to this machine would send that name (DNS rebinding).
    guard isLoopback(head.headers["Host"], port, redirect) else { return send(.wrongHost, context) }
    guard let path = parts.first, path == redirect.path else { return send(.notFound, context) }
    guard head.method == .GET else { return send(.wrongMethod, context) }
    state = .handedOver
    let channel = context.channel
    connections.begin(channel)
    let query = Secret(parts.count > 1 ? String(parts[1]) : "")
    deliver(
      Callback(query: query, caller: caller(head, channel)) { page in
        channel.pipeline.fireUserInboundEventTriggered(Order.answer(page))
      }
    )
  }

  private func caller(_ head: HTTPRequestHead, _ channel: any Channel) -> Callback.Caller {
    guard let peer = SocketOwner.End(channel.remoteAddress),
      let local = SocketOwner.End(channel.localAddress), owner.isOwn(peer, local)
    else { return .otherUser }
    return head.headers.areOfPage ? .page : .ownUser
  }

  private func send(_ answer: CallbackAnswer, _ context: ChannelHandlerContext) {
    state = .answered
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer.message)))
      .assumeIsolated()
      .whenComplete { _ in context.close(promise: nil) }
  }
}

/// `true` if a request is for this machine by number, or by the name that the address has.
private func isLoopback(_ hosts: [String], _ port: Int, _ redirect: LoopbackRedirect) -> Bool {
  guard let host = hosts.first, hosts.count == 1 else { return false }
  return ["127.0.0.1", "[::1]", redirect.host.rawValue].contains { address in
    host == "\(address):\(port)" || port == 80 && host == address
  }
}

/// Closes a connection that sends more than any browser does.
final class ByteBudget: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  private var left = 1 << 16

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    left -= unwrapInboundIn(data).readableBytes
    if left < 0 { context.close(promise: nil) } else { context.fireChannelRead(data) }
  }
}

extension HTTPHeaders {
  /// `true` if a browser says that a page has loaded this, and that no user navigated there.
  ///
  /// Browsers name the purpose of every request to loopback (Fetch Metadata, section 2); pages
  /// can't change that. A callback is a navigation of a whole tab. Programs that are not browsers,
  /// and old browsers, send no such field.
  var areOfPage: Bool {
    let modes = self[canonicalForm: "Sec-Fetch-Mode"]
    let destinations = self[canonicalForm: "Sec-Fetch-Dest"]
    let sites = self[canonicalForm: "Sec-Fetch-Site"]
    if modes.contains(where: { $0 != "navigate" }) { return true }
    // A page's frame is a navigation as well, and not one that the user sees.
    if destinations.contains(where: { $0 != "document" }) { return true }
    if sites.contains("cross-site") && modes.isEmpty { return true }
    // A page that is loaded before the user asks for it.
    return self[canonicalForm: "Sec-Purpose"].contains { $0.hasPrefix("prefetch") }
  }
}

/// The user of the socket at the other end of a TCP connection on this machine.
///
/// The kernel lists every socket with its user in `/proc/net/tcp` and `/proc/net/tcp6` (proc(5)). User ids
/// are those of this process's user namespace, as is `geteuid`.
package struct SocketOwner: Sendable {
  /// One end of a connection.
  package enum End: Equatable, Sendable {
    /// The address and the port as the kernel lists them.
    case v4(address: UInt32, port: UInt16)
    case v6(address: [UInt32], port: UInt16)

    /// An address on loopback, for 127.0.0.1.
    package static func loopback(port: UInt16) -> End { .v4(address: UInt32(0x7F00_0001).bigEndian, port: port) }
  }

  /// `true` if the socket of `peer`, connected to `local`, is this process's own user's.
  package var isOwn: @Sendable (_ peer: End, _ local: End) -> Bool

  package init(isOwn: @escaping @Sendable (_ peer: End, _ local: End) -> Bool) { self.isOwn = isOwn }

  /// Asks the kernel.
  package static let kernel = SocketOwner { peer, local in
    let users = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { path in
      contents(path).map { SocketOwner.users(of: peer, to: local, in: $0) } ?? []
    }
    return !users.isEmpty && users.allSatisfy { $0 == geteuid() }
  }

  /// The users of all sockets in a table that connect `peer` to `local`.
  ///
  /// - Parameters:
  ///   - peer: The end whose socket is searched.
  ///   - local: The end that it is connected to.
  ///   - table: As in `/proc/net/tcp`.
  /// - Returns: Their user ids. A socket that no process has open any more, whose user the kernel may not
  ///   know, is left out.
  package static func users(of peer: End, to local: End, in table: [UInt8]) -> [UInt32] {
    let needles = zip(peer.listed, local.listed).map { " \($0) \($1) " }
    return table.split(separator: 0x0A).compactMap { line in
      let text = String(decoding: line, as: UTF8.self)
      guard needles.contains(where: { text.contains($0) }) else { return nil }
      let columns = text.split(separator: " ")
      guard columns.count > 9, columns[9] != "0" else { return nil }
      return UInt32(columns[7])
    }
  }

  /// The most that is read of a table, in bytes: some 400,000 sockets.
  private static let limit = 1 << 26

  private static func contents(_ path: String) -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while contents.count < limit {
      let count = unsafe read(file, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      contents += chunk.prefix(count)
    }
    return contents
  }
}

extension SocketOwner.End {
  /// An address of TCP; `nil` for any other.
  init?(_ address: SocketAddress?) {
    guard let text = address?.ipAddress, let number = address?.port.flatMap({ UInt16(exactly: $0) }),
      let bytes = IPAddress(text[...])?.bytes
    else { return nil }
    let words = stride(from: 0, to: bytes.count, by: 4).map { start in
      bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }.bigEndian
    }
    self = words.count == 1 ? .v4(address: words[0], port: number) : .v6(address: words, port: number)
  }

  /// The kernel's notation: words in its own byte order; an address of IPv4 also as one of IPv6, for sockets that can
  /// do both.
  fileprivate var listed: [String] {
    switch self {
    case .v4(let address, let port):
      let mapped = [0, 0, UInt32(0xFFFF).bigEndian, address].map { hex($0, 8) }.joined()
      return [hex(address, 8), mapped].map { "\($0):\(hex(UInt32(port), 4))" }
    case .v6(let address, let port): return ["\(address.map { hex($0, 8) }.joined()):\(hex(UInt32(port), 4))"]
    }
  }
}

private func hex(_ number: UInt32, _ width: Int) -> String {
  let digits = String(number, radix: 16, uppercase: true)
  return String(repeating: "0", count: width - digits.count) + digits
}
