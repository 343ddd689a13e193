import NIOCore
import NIOHTTP1

/// Puts a request's target on the wire byte for byte.
///
/// AsyncHTTPClient rebuilds the target from a Foundation URL, which percent-encodes some of what
/// curl sends as it is (`[`, a stray `%`). A DPoP proof names the target, so what is sent must be
/// what was signed. The target therefore travels beside the URL, in a field of its own that this
/// handler takes out again as the last thing before the encoder.
final class RequestTarget: ChannelOutboundHandler {
  typealias OutboundIn = HTTPClientRequestPart
  typealias OutboundOut = HTTPClientRequestPart

  /// The name of that field; it never leaves this process.
  static let field = "acct-request-target"

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .head(var head) = unwrapOutboundIn(data),
      let target = head.headers.first(name: RequestTarget.field)
    else { return context.write(data, promise: promise) }
    head.uri = target
    head.headers.remove(name: RequestTarget.field)
    context.write(wrapOutboundOut(.head(head)), promise: promise)
  }
}
