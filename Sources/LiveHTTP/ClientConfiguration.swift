import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL

extension HTTPClient.Configuration {
  /// Everything that a client might do of its own accord is off: redirects, decompression,
  /// retries, HTTP/2.
  init(route: Route, trust: TLSConfiguration?) {
    self.init(
      tlsConfiguration: trust,
      redirectConfiguration: .disallow,
      timeout: Timeout(connect: connectTimeout),
      decompression: .disabled
    )
    httpVersion = .http1Only
    // Long enough for the second request of a nonce exchange, and shorter than any server's own
    // patience: a request that may be sent once only must not meet a connection that is closing.
    connectionPool.idleTimeout = .seconds(2)
    connectionPool.retryConnectionEstablishment = false
    http1_1ConnectionDebugInitializer = addHandlers
    if case .proxied(let proxy) = route { self.proxy = proxy.configuration }
  }
}

/// Adds this room's handlers to a connection, between AsyncHTTPClient's own and the encoder.
///
/// A connection that they can't be added to is not used.
@Sendable private func addHandlers(to channel: any Channel) -> EventLoopFuture<Void> {
  channel.eventLoop.makeCompletedFuture {
    let pipeline = channel.pipeline.syncOperations
    let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
    try pipeline.addHandlers([RequestTarget(), HostCheck()], position: .after(encoder))
  }
}

/// How long a connection, with its proxy's and its TLS handshake, may take.
let connectTimeout = TimeAmount.seconds(10)

extension Proxy {
  fileprivate var configuration: HTTPClient.Configuration.Proxy {
    switch kind {
    case .http:
      .server(
        host: host,
        port: Int(port),
        authorization: credentials.map {
          .basic(username: $0.user, password: $0.password)
        }
      )
    case .socks5: .socksServer(host: host, port: Int(port))
    }
  }
}
