import AcctModel
import Secrets
import AcctPorts
import NIOCore
import NIOHTTP1

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
