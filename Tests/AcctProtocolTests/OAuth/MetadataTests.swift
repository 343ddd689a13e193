import AcctModel
import AcctProtocol
import StrictJSON
import Testing

@Suite("Metadata of an authorization server")
struct MetadataTests {
  private func reading(_ members: JSONObject, for issuer: String = "https://as.example") throws -> MetadataDocuments {
    try MetadataDocuments(members, for: try Issuer(issuer), named: .remote)
  }

  @Test(
    "Metadata lies at three places: RFC 8414's, OpenID's behind the path, and before it",
    arguments: [
      (
        "https://as.example",
        [
          "https://as.example/.well-known/oauth-authorization-server",
          "https://as.example/.well-known/openid-configuration",
        ]
      ),
      (
        "https://as.example/",
        [
          "https://as.example/.well-known/oauth-authorization-server",
          "https://as.example/.well-known/openid-configuration",
        ]
      ),
      (
        "https://as.example/login/oauth/",
        [
          "https://as.example/.well-known/oauth-authorization-server/login/oauth",
          "https://as.example/login/oauth/.well-known/openid-configuration",
          "https://as.example/.well-known/openid-configuration/login/oauth",
        ]
      ),
    ]
  )
  func places(issuer: String, expected: [String]) throws {
    #expect(try MetadataDocuments.places(for: Issuer(issuer)).map(\.description) == expected)
  }

  @Test("A second document adds what the first lacks, and changes nothing of the first")
  func merging() throws {
    var documents = try reading([
      "issuer": "https://as.example", "token_endpoint": "https://as.example/token",
      "revocation_endpoint": nil,
    ])
    #expect(documents.names(.token))
    #expect(!documents.names(.revocation))
    documents.add([
      "issuer": "https://as.example", "token_endpoint": "https://as.example/other",
      "revocation_endpoint": "https://as.example/revoke",
      "device_authorization_endpoint": "https://as.example/device",
    ])
    let server = try documents.server()
    #expect(server.tokenEndpoint.path == "/token")
    #expect(server.revocationEndpoint?.path == "/revoke")
    #expect(server.deviceEndpoint?.path == "/device")
  }

  @Test("A document of another issuer, or one that can't be used, adds nothing")
  func foreign() throws {
    let first: JSONObject = ["issuer": "https://as.example", "token_endpoint": "https://as.example/token"]
    for second: JSONObject in [
      ["issuer": "https://evil.example", "device_authorization_endpoint": "https://evil.example/device"],
      ["device_authorization_endpoint": "https://evil.example/device"],
      ["issuer": "https://as.example", "device_authorization_endpoint": "http://as.example/device"],
    ] {
      var documents = try reading(first)
      documents.add(second)
      #expect(try documents.server().deviceEndpoint == nil)
    }
  }

  @Test(
    "The document decides whether a slash ends the issuer, and nothing else of it",
    arguments: [
      ("https://as.example", "https://as.example/", true),
      ("https://as.example/", "https://as.example", true),
      ("https://as.example/t", "https://as.example/t/", true),
      ("https://as.example/t", "https://as.example/T", false),
      ("https://as.example", "https://AS.example", false),
      ("https://as.example", "https://as.example//", false),
      ("https://as.example", "https://as.example:443", false),
      ("https://as.example", "https://evil.example/", false),
    ]
  )
  func lastSlash(typed: String, stated: String, isSame: Bool) throws {
    let document: JSONObject = ["issuer": .string(stated), "token_endpoint": "https://as.example/token"]
    if isSame {
      #expect(try reading(document, for: typed).server().issuer?.description == stated)
    } else {
      let error = OAuthError.MetadataFlaw.issuer(expected: try Issuer(typed), found: stated)
      #expect(throws: error) { try reading(document, for: typed).server() }
    }
  }
}
