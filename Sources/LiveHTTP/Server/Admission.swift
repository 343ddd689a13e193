import NIOCore

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
