import AcctPorts
import AcctTestSupport
import Secrets
import Synchronization
import Testing

/// A client's certificate in the handshake, before a front that asks for one.
@Suite("A client certificate in TLS")
struct ClientCertificateTests {
  let authority: TestAuthority

  init() throws { authority = try TestAuthority.shared.get() }

  private var trusting: HTTPTransport { .live(["SSL_CERT_FILE": authority.rootsFile]) }

  private func identity(_ certificate: String, _ key: String) -> TLSIdentity {
    TLSIdentity(certificate: Secret(certificate), key: .pem(Secret(key)))
  }

  /// Sends requests one after the other, and returns the thumbprints of the certificates that the server saw.
  private func names(
    _ identities: TLSIdentity?...,
    newest: ServerIdentity.Version = .tls13
  ) async throws -> [String] {
    var tls = try authority.server("DNS:localhost", newest: newest)
    let all = [MadeUpCertificates.p256, MadeUpCertificates.p384, MadeUpCertificates.rsa]
    tls.clients = .init(areRequired: false, authorities: try authority.file(all.joined(separator: "\n")))
    let clients = Clients()
    return try await ScriptedServer.serving(tls: tls, { clients.answer($0) }) { server in
      let transport = trusting
      var names: [String] = []
      for identity in identities {
        var request = try HTTPRequest.get("https://localhost:\(server.port)/")
        request.identity = identity
        names.append(try await transport.send(request).text)
      }
      return names
    }
  }

  @Test("A certificate of each kind of key is presented", arguments: [ServerIdentity.Version.tls12, .tls13])
  func presented(_ version: ServerIdentity.Version) async throws {
    let names = try await names(
      identity(MadeUpCertificates.p256, MadeUpCertificates.p256Key),
      identity(MadeUpCertificates.p384, MadeUpCertificates.p384Key),
      identity(MadeUpCertificates.rsa, MadeUpCertificates.rsaKey),
      newest: version
    )
    let (p256, p384) = (MadeUpCertificates.p256Thumbprint, MadeUpCertificates.p384Thumbprint)
    #expect(names == [p256, p384, MadeUpCertificates.rsaThumbprint])
  }

  @Test("A request never uses the connection of another certificate, or of none")
  func connections() async throws {
    let own = identity(MadeUpCertificates.p256, MadeUpCertificates.p256Key)
    let other = identity(MadeUpCertificates.p384, MadeUpCertificates.p384Key)
    let (first, second) = (MadeUpCertificates.p256Thumbprint, MadeUpCertificates.p384Thumbprint)
    #expect(try await names(own, nil, other, own, nil) == [first, "-", second, first, "-"])
  }

  /// The failure at a server that requires a certificate of the made-up authority.
  private func failure(_ identity: TLSIdentity?, newest: ServerIdentity.Version = .tls13) async throws -> HTTPFailure? {
    var tls = try authority.server("DNS:localhost", newest: newest)
    tls.clients = .init(areRequired: true, authorities: try authority.file(MadeUpCertificates.p256))
    return try await ScriptedServer.serving(tls: tls, { _ in [ok("")] }) { server in
      var request = try HTTPRequest.get("https://localhost:\(server.port)/")
      request.identity = identity
      let failure = await trusting.failure(of: request)
      #expect(server.received.isEmpty)
      return failure
    }
  }

  @Test(
    "A server that requires a certificate is named as such, and so is one that does not accept it",
    arguments: [ServerIdentity.Version.tls12, .tls13]
  )
  func required(_ version: ServerIdentity.Version) async throws {
    // TLS 1.2 has no word of its own for a missing certificate.
    let reason = version == .tls12 ? "the TLS handshake failed" : "the server asks for a client certificate"
    #expect(try await failure(nil, newest: version) == .untrusted(reason: reason))
    let stranger = identity(MadeUpCertificates.p384, MadeUpCertificates.p384Key)
    #expect(
      try await failure(stranger, newest: version)
        == .untrusted(reason: "the server does not accept the client certificate")
    )
  }

  @Test("A certificate with another key is not presented at all")
  func otherKey() async throws {
    let mixed = identity(MadeUpCertificates.p256, MadeUpCertificates.p384Key)
    #expect(try await failure(mixed) == .unsendable(reason: "the client's certificate can't be used"))
  }
}

/// The thumbprints that the front tells, by connection.
private final class Clients: Sendable {
  private let known = Mutex<[Int: String]>([:])

  func answer(_ request: ScriptedServer.Request) -> [ScriptedServer.Step] {
    known.withLock { known in
      guard request.line.hasPrefix("CLIENT ") else { return [ok(known[request.connection] ?? "")] }
      known[request.connection] = String(request.line.dropFirst(7))
      return []
    }
  }
}
