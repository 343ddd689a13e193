import NIOCore
import NIOHTTP1

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
