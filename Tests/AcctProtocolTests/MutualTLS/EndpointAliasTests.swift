import AcctModel
import AcctProtocol
import StrictJSON
import Testing

@Suite("Endpoints for mutual TLS")
struct EndpointAliasTests {
  private let document: JSONObject = [
    "issuer": "https://as.example", "token_endpoint": "https://as.example/token",
    "authorization_endpoint": "https://as.example/authorize", "revocation_endpoint": "https://as.example/revoke",
    "tls_client_certificate_bound_access_tokens": true,
    "mtls_endpoint_aliases": [
      "token_endpoint": "https://mtls.as.example/token", "authorization_endpoint": "https://mtls.as.example/authorize",
      "introspection_endpoint": "https://mtls.as.example/introspect",
    ],
  ]

  private func server(
    _ document: JSONObject? = nil,
    given: [EndpointName: HTTPURL] = [:],
    presentsCertificate: Bool
  ) throws -> AuthorizationServer {
    try MetadataDocuments(
      document ?? self.document,
      for: Issuer("https://as.example"),
      named: .remote,
      given: given,
      presentsCertificate: presentsCertificate
    ).server()
  }

  @Test("A client with a certificate uses the aliases, and a browser does not")
  func aliases() throws {
    let server = try server(presentsCertificate: true)
    #expect(server.tokenEndpoint.description == "https://mtls.as.example/token")
    #expect(server.introspectionEndpoint?.description == "https://mtls.as.example/introspect")
    #expect(server.revocationEndpoint?.description == "https://as.example/revoke")
    #expect(server.authorizationEndpoint?.description == "https://as.example/authorize")
    #expect(server.bindsTokensToCertificates)
  }

  @Test("A client without a certificate uses none of them")
  func without() throws {
    let server = try server(presentsCertificate: false)
    #expect(server.tokenEndpoint.description == "https://as.example/token")
    #expect(server.introspectionEndpoint == nil)
  }

  @Test("An endpoint that the user named counts before an alias")
  func given() throws {
    let own = try HTTPURL("https://own.example/token")
    #expect(try server(given: [.token: own], presentsCertificate: true).tokenEndpoint == own)
  }

  @Test("An alias that no credential may be sent to is rejected")
  func refused() throws {
    var document = document
    document["mtls_endpoint_aliases"] = ["token_endpoint": "http://mtls.as.example/token"]
    #expect(throws: OAuthError.MetadataFlaw.self) { try server(document, presentsCertificate: true) }
  }
}
