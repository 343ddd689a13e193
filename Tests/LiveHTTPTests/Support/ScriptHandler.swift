import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// One connection of a ``ScriptedServer``.
final class ScriptHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer
  private let number: Int
  private let script: ScriptedServer.Script
  private let greeting: String?
  private let log: ScriptedServer.Log
  private let farEnd: Int?
  private var pending = ""
  private var tunnel: EventLoopFuture<any Channel>?

  /// - Parameters:
  ///   - number: Which of the server's connections it is.
  ///   - script: Answers a request.
  ///   - greeting: Is sent before anything has come.
  ///   - farEnd: The port that tunnels lead to.
  ///   - log: Where requests are noted.
  init(
    _ number: Int,
    script: @escaping ScriptedServer.Script,
    greeting: String?,
    farEnd: Int?,
    log: ScriptedServer.Log
  ) {
    self.number = number
    self.script = script
    self.greeting = greeting
    self.farEnd = farEnd
    self.log = log
  }

  func channelInactive(context: ChannelHandlerContext) {
    tunnel?.whenSuccess { $0.close(promise: nil) }
    context.fireChannelInactive()
  }

  func channelActive(context: ChannelHandlerContext) {
    if let greeting { perform([.send(greeting)], context) }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if let tunnel {
      let bytes = unwrapInboundIn(data)
      // A tunnel that could not be made leaves the client waiting, and the test fails there.
      tunnel.whenSuccess { $0.writeAndFlush(bytes, promise: nil) }
      return
    }
    pending += String(buffer: unwrapInboundIn(data))
    while let request = nextRequest() {
      log.requests.withLock { $0.append(request) }
      log.arrivals.yield(request)
      perform(script(request)[...], context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  /// Takes one whole request off what has come, if there is one.
  private func nextRequest() -> ScriptedServer.Request? {
    guard let end = pending.firstRange(of: "\r\n\r\n") else { return nil }
    var lines = pending[..<end.lowerBound].components(by: "\r\n")
    let line = lines.removeFirst()
    let length =
      lines.lazy
      .filter { $0.lowercased().hasPrefix("content-length:") }
      .compactMap { Int($0.dropFirst(15).drop { $0 == " " }) }
      .first ?? 0
    let rest = pending[end.upperBound...].utf8
    guard rest.count >= length else { return nil }
    let body = String(decoding: rest.prefix(length), as: UTF8.self)
    pending = String(decoding: rest.dropFirst(length), as: UTF8.self)
    return ScriptedServer.Request(line: line, fields: lines, body: body, connection: number)
  }

  private func perform(_ steps: ArraySlice<ScriptedServer.Step>, _ context: ChannelHandlerContext) {
    guard let step = steps.first else { return }
    switch step {
    case .send(let text): context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    case .sendForever(let text): sendForever(ByteBuffer(string: text), context)
    case .close: context.close(promise: nil)
    case .reset:
      let channel = context.channel
      (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        .whenComplete { _ in channel.close(promise: nil) }
    case .startTunnel: startTunnel(context)
    }
    perform(steps.dropFirst(), context)
  }

  /// Passes on what comes, to the other end and back.
  private func startTunnel(_ context: ChannelHandlerContext) {
    let near = context.channel
    tunnel = ClientBootstrap(group: context.eventLoop).channelInitializer { far in
      far.eventLoop.makeCompletedFuture { try far.pipeline.syncOperations.addHandler(Relay(to: near)) }
    }
    .connect(host: "127.0.0.1", port: farEnd ?? 0)
  }

  private func sendForever(_ part: ByteBuffer, _ context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(part)).assumeIsolated().whenSuccess {
      // By way of the loop: a client that keeps up would let the stack grow without end.
      context.eventLoop.assumeIsolated().execute { self.sendForever(part, context) }
    }
  }
}

extension Substring {
  fileprivate func components(by separator: String) -> [String] {
    var parts: [String] = []
    var rest = self
    while let range = rest.firstRange(of: separator) {
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return parts + [String(rest)]
  }
}

/// Passes on what comes, as it comes.
private final class Relay: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let sink: any Channel

  init(to sink: any Channel) { self.sink = sink }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    sink.writeAndFlush(unwrapInboundIn(data), promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { sink.close(promise: nil) }
}
