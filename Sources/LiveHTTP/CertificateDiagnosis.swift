import AcctModel
import AcctPorts
import Glibc
import NIOCore
import NIOPosix
import NIOSSL

extension Clients {
  /// Finds out in plain words why a server's certificate was refused.
  ///
  /// NIOSSL says that a chain was refused and not why, so the server is asked once more for its
  /// chain. That handshake always ends in refusal: nothing is ever sent over it, and its outcome
  /// is words alone. Behind a proxy it is left out, as the way there is not a plain connection.
  func reasonToDistrust(_ origin: Origin) async -> String {
    do {
      let chain = try await presentedChain(origin)
      return reason(chain, now: time(nil))
    } catch {
      // The refusal stands; only its reason stays unknown.
      return refusedCertificate
    }
  }

  private func presentedChain(_ origin: Origin) async throws -> [NIOSSLCertificate] {
    let group = group()
    let context = try NIOSSLContext(configuration: trust())
    let chain = group.next().makePromise(of: [NIOSSLCertificate].self)
    let host = origin.unbracketedHost
    let name = IPAddress(host) == nil ? host : nil
    ClientBootstrap(group: group)
      .connectTimeout(connectTimeout)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let tls = try NIOSSLClientHandler(context: context, serverHostname: name) {
            certificates,
            verdict in
            chain.succeed(certificates)
            verdict.succeed(NIOSSLVerificationResult.failed)
          }
          try channel.pipeline.syncOperations.addHandler(tls)
        }
      }
      .connect(host: host, port: Int(origin.port))
      .whenComplete { connection in
        switch connection {
        case .success(let channel): channel.closeFuture.whenComplete { _ in chain.fail(Unknown()) }
        case .failure: chain.fail(Unknown())
        }
      }
    return try await withTaskCancellationHandler {
      try await chain.futureResult.get()
    } onCancel: {
      chain.fail(Unknown())
    }
  }
}

/// The chain could not be had.
private struct Unknown: Error {}

/// What is wrong with a refused chain, leaf first, at a time in seconds since 1970.
private func reason(_ chain: [NIOSSLCertificate], now: Int) -> String {
  if chain.contains(where: { $0.notValidAfter < now }) { return "the certificate has expired" }
  if chain.contains(where: { $0.notValidBefore > now }) {
    return "the certificate is not valid yet"
  }
  return "the certificate is self-signed, or its issuer is not trusted"
}
