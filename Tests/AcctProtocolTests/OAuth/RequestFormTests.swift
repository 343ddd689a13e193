import Release
import AcctModel
import Secrets
import AcctProtocol
import Testing

@Suite("The forms of OAuth requests")
struct RequestFormTests {
  private func request(_ scope: String?, _ resources: String...) throws -> AuthorizationRequest {
    AuthorizationRequest(
      clientID: "client",
      redirectURI: "http://127.0.0.1:1/callback",
      scope: scope,
      resources: try resources.map { try ResourceIndicator($0) },
      thumbprint: nil,
      random: (0..<96).map { $0 }
    )
  }

  @Test("A request asks for consent where it asks for offline_access, and only there")
  func consent() throws {
    for (scope, isAsked) in [
      ("openid offline_access", true), ("offline_access", true), ("openid", false), (nil, false),
      ("offline_access_no", false),
    ] as [(String?, Bool)] {
      let form = try request(scope).parameters.openedText
      #expect(form.contains("&prompt=consent") == isAsked, "\(form)")
    }
  }

  @Test("A request names each resource as typed, and the first alone with the code and at a renewal")
  func resources() throws {
    let typed = ["https://API.example", "https://api.example/", "http://localhost:8080/mcp"]
    let request = try request(nil, typed[0], typed[1], typed[2])
    let expected =
      "resource=https%3A%2F%2FAPI.example&resource=https%3A%2F%2Fapi.example%2F"
      + "&resource=http%3A%2F%2Flocalhost%3A8080%2Fmcp"
    #expect(request.parameters.openedText.contains("&\(expected)&"))
    let first = "resource=https%3A%2F%2FAPI.example"
    let exchange = request.exchange(Secret("code"), clientID: "client").openedText
    #expect(exchange.hasSuffix("&\(first)"))
    #expect(!exchange.dropLast(first.count).contains("resource="))
    let token = try RefreshToken(Token("r1"))
    let form = try RefreshRequest.form(token, clientID: "client", resource: ResourceIndicator(typed[0]))
    #expect(form.openedText == "grant_type=refresh_token&refresh_token=r1&client_id=client&\(first)")
  }

  @Test("A revocation names the refresh token, and the access token where there is no other")
  func revocation() throws {
    let (refresh, access) = (try RefreshToken(Token("r1")), try Token("a1"))
    let form = RefreshRequest.revocation(of: refresh)
    #expect(form.openedText == "token=r1&token_type_hint=refresh_token")
    #expect(RefreshRequest.revocation(of: access).openedText == "token=a1&token_type_hint=access_token")
  }

  @Test(
    "A resource is an absolute URL without a fragment, to which a token may be sent",
    arguments: ["api.example", "https://api.example/#a", "urn:example:api", "http://api.example/", ""]
  )
  func badResources(text: String) {
    #expect(throws: ParseError.self) { try ResourceIndicator(text) }
  }
}
