import AcctModel
import NIOCore
import NIOHTTP1
import NIOSSL

/// Lets no request out before the server's certificate has been seen to name its host.
///
/// NIOSSL's own check also accepts a certificate for the IP address at the connection's other
/// end (the proxy's, behind one), and, without any alternative name, the common name. Neither is
/// the host that was asked for; whoever can lead a connection to an address of theirs could so
/// pass for anybody.
final class HostCheck: ChannelOutboundHandler {
  typealias OutboundIn = HTTPClientRequestPart
  typealias OutboundOut = HTTPClientRequestPart

  /// The certificate is for another host.
  struct WrongHost: Error {}

  private var isRefusing = false

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .head(let head) = unwrapOutboundIn(data), !isAllowed(head, context), !isRefusing {
      isRefusing = true
      // Later, as the client is in the midst of a write.
      context.eventLoop.assumeIsolated().execute {
        context.fireErrorCaught(WrongHost())
        context.close(promise: nil)
      }
    }
    if isRefusing { promise?.fail(WrongHost()) } else { context.write(data, promise: promise) }
  }

  private func isAllowed(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> Bool {
    guard
      let tls = try? context.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
    else { return true }
    guard let host = head.headers.first(name: "Host"), let origin = try? Origin("https://\(host)")
    else { return false }
    return tls.peerCertificate?.names(origin.unbracketedHost) ?? false
  }
}

extension NIOSSLCertificate {
  /// Whether an alternative name is this host (RFC 9525, section 6): an address by its bytes, a
  /// name without regard to case, or by a `*` that stands for the whole leftmost label.
  fileprivate func names(_ host: String) -> Bool {
    let address = IPAddress(host)
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    return _subjectAlternativeNames().contains { alternative in
      switch alternative.nameType {
      case .ipAddress: address?.bytes.elementsEqual(alternative.contents) ?? false
      case .dnsName:
        address == nil
          && matches(String(decoding: alternative.contents, as: UTF8.self).lowercased(), name)
      default: false
      }
    }
  }
}

private func matches(_ pattern: String, _ name: Substring) -> Bool {
  guard pattern.hasPrefix("*.") else { return pattern == name }
  let domain = pattern.dropFirst(2)
  // `*.example` would be everybody's.
  guard domain.contains("."), let dot = name.firstIndex(of: "."), dot > name.startIndex
  else { return false }
  return name[dot...].dropFirst() == domain
}
