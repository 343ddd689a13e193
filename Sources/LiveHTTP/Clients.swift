import AcctModel
import AcctPorts
import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The HTTP clients of one transport, made when the first request needs them.
///
/// There is one for each ``Route`` in use, since a client has one proxy and one set of roots;
/// a command uses one, rarely two. They share one event-loop thread.
final class Clients: Sendable {
  private let environment: @Sendable (_ name: String) -> String?
  private let state = Mutex(State())

  private struct State {
    var group: MultiThreadedEventLoopGroup?
    var proxies: ProxySettings?
    var trust: TLSConfiguration?
    var clients: [Route: HTTPClient] = [:]
  }

  init(environment: @escaping @Sendable (_ name: String) -> String?) {
    self.environment = environment
  }

  /// A client asserts that it was shut down before it goes; nobody waits for it here.
  ///
  /// The thread stays, parked: a client that gave up on a connection may still be reading roots
  /// for it, and reports to its event loop even after its own end. A process has one transport.
  deinit {
    for client in state.withLock({ $0.clients.values }) { client.shutdown { _ in } }
  }

  /// Returns the way that requests to a server take.
  ///
  /// - Throws: ``HTTPFailure/proxy(reason:)`` if a proxy is set for it that can't be used.
  func route(to origin: Origin) throws(HTTPFailure) -> Route {
    guard origin.scheme == .https else { return .plain }
    let settings = state.withLock { state in
      let settings = state.proxies ?? ProxySettings(environment: environment)
      state.proxies = settings
      return settings
    }
    return try settings.proxy(for: origin).map { .proxied($0) } ?? .direct
  }

  /// Returns the client of a route, and makes it if it is the first to ask.
  ///
  /// - Throws: ``HTTPFailure/untrusted(reason:)`` if the roots can't be read.
  func client(for route: Route) throws(HTTPFailure) -> HTTPClient {
    // Plain http must not fail because a file of roots is missing.
    let trust = route == .plain ? nil : try self.trust()
    let group = self.group()
    return state.withLock { state in
      if let client = state.clients[route] { return client }
      let client = HTTPClient(
        eventLoopGroup: group,
        configuration: .init(route: route, trust: trust)
      )
      state.clients[route] = client
      return client
    }
  }

  /// The TLS settings, read from the environment once.
  func trust() throws(HTTPFailure) -> TLSConfiguration {
    try state.withLock { state throws(HTTPFailure) in
      if let trust = state.trust { return trust }
      let trust = try TLSConfiguration(rootsFile: environment("SSL_CERT_FILE"))
      state.trust = trust
      return trust
    }
  }

  /// The one thread, started by the first to ask.
  func group() -> MultiThreadedEventLoopGroup {
    state.withLock { state in
      let group = state.group ?? MultiThreadedEventLoopGroup(numberOfThreads: 1)
      state.group = group
      return group
    }
  }
}

/// The way to a server.
enum Route: Hashable {
  /// Without TLS; exists for loopback alone.
  case plain
  case direct
  case proxied(Proxy)
}
