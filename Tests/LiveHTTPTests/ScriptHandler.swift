import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// One connection of a ``ScriptedServer``.
final class ScriptHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer
  private let script: ScriptedServer.Script
  private let greeting: String?
  private let log: ScriptedServer.Log
  private var pending = ""

  init(script: @escaping ScriptedServer.Script, greeting: String?, log: ScriptedServer.Log) {
    self.script = script
    self.greeting = greeting
    self.log = log
  }

  func channelActive(context: ChannelHandlerContext) {
    if let greeting { perform([.send(greeting)], context) }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    pending += String(buffer: unwrapInboundIn(data))
    while let request = nextRequest() {
      log.requests.withLock { $0.append(request) }
      log.arrivals.yield(request)
      perform(script(request)[...], context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

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
    return ScriptedServer.Request(line: line, fields: lines, body: body)
  }

  private func perform(
    _ steps: ArraySlice<ScriptedServer.Step>,
    _ context: ChannelHandlerContext
  ) {
    guard let step = steps.first else { return }
    switch step {
    case .send(let text):
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    case .sendForever(let text): sendForever(ByteBuffer(string: text), context)
    case .close: context.close(promise: nil)
    case .cut:
      // Closed from below the TLS handler, which therefore can't say goodbye.
      let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
      (tls ?? context).close(promise: nil)
    case .reset:
      let channel = context.channel
      (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        .whenComplete { _ in channel.close(promise: nil) }
    case .startTLS(let tls):
      // A handler that can't be added leaves the client without TLS, and the test fails there.
      try? context.pipeline.syncOperations.addHandler(
        NIOSSLServerHandler(context: tls),
        position: .first
      )
    }
    perform(steps.dropFirst(), context)
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
