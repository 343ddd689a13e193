import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// A backend that signs in another identity than the one that was named.
@Suite("An unwanted session")
struct UnwantedSessionTests {
  private let recorded = RecordedWorld()

  private func add(_ whom: String, handle: String, revocation: Int = 200) async -> Int32 {
    recorded.clear()
    recorded.serve { request throws(HTTPFailure) in
      switch request.url.path {
      case "/api/auth/start": .json(#"{"authUrl":"https://as.example/authorize"}"#)
      case "/api/auth/tokens":
        .json(
          """
          {"accessToken":"at-made-up","refreshToken":"rt-made-up","handle":"\(handle)",
           "did":"did:plc:mallorytestaccountaaaaaa","pds":"https://pds.example","issuer":"https://as.example"}
          """
        )
      case RecordedServer.place: RecordedServer.metadata(["revocation_endpoint": "https://as.example/revoke"])
      case "/revoke": .json("{}", revocation)
      default: .json(#"{"error":"not_found"}"#, 404)
      }
    }
    recorded.desktop.opens("limit://auth?code=c")
    var world = recorded.world()
    world.browser = Browser { _ in true }
    return await Acct.run(
      ["add", "--backend", "https://app.example", whom, "--callback", "limit://auth"],
      in: world,
      schemes: recorded.desktop.handler(),
      parsedBy: ParsedLines.parse
    )
  }

  private var revoked: [String] {
    recorded.requests.filter { $0.url.path == "/revoke" }.map { RowServer.text($0.body) }
  }

  @Test(
    "Tokens of another identity than the named one are revoked, and 8 names whose they are",
    arguments: ["alice.test", "did:plc:alicetestaccountaaaaaaaa"]
  )
  func revoked(whom: String) async {
    #expect(await add(whom, handle: "mallory.test") == 8, "\(recorded.err)")
    #expect(
      recorded.err.suffix(2) == [
        "acct: https://app.example signed in mallory.test, did:plc:mallorytestaccountaaaaaa instead of \(whom)",
        "acct: hint: sign out of mallory.test in the browser, then run the same command again and sign in as \(whom)",
      ],
      "\(recorded.err)"
    )
    #expect(revoked.count == 1)
    #expect(revoked.first?.hasPrefix("token=rt-made-up&token_type_hint=refresh_token") == true)
    #expect(recorded.accountFiles == 0)
    #expect(recorded.keyring.items.isEmpty)
  }

  @Test("A sealed session of another identity than the named one is ended, and 8 names whose it is")
  func sealed() async {
    let mallory = "did:plc:mallorytestaccountaaaaaa"
    recorded.serve { request throws(HTTPFailure) in
      switch request.url.path {
      case "/api/auth/mobile-start": .json(#"{"success":true,"authUrl":"https://as.example/authorize"}"#)
      case "/api/auth/session": .json(#"{"valid":true,"did":"\#(mallory)","handle":"mallory.example.com"}"#)
      case "/api/auth/logout": .json("{}")
      default: .json(#"{"error":"not_found"}"#, 404)
      }
    }
    recorded.desktop.opens(
      "limit://auth?session_token=Fe26.2*1*made-up&did=did%3Aplc%3Aalicetestaccountaaaaaaaa"
        + "&handle=alice.example.com"
    )
    var world = recorded.world()
    world.browser = Browser { _ in true }
    let status = await Acct.run(
      ["add", "--session", "https://app.example", "alice.example.com", "--callback", "limit://auth"],
      in: world,
      schemes: recorded.desktop.handler(),
      parsedBy: ParsedLines.parse
    )
    #expect(status == 8, "\(recorded.err)")
    #expect(
      recorded.err.contains("acct: https://app.example signed in mallory.example.com instead of alice.example.com"),
      "\(recorded.err)"
    )
    #expect(recorded.requests.last?.url.path == "/api/auth/logout")
    #expect(recorded.accountFiles == 0)
  }

  @Test("A server that does not revoke an unwanted session is named, and nothing is stored")
  func notRevoked() async {
    #expect(await add("alice.test", handle: "mallory.test", revocation: 503) == 8)
    #expect(
      recorded.err.contains("acct: the server did not end the unwanted session of mallory.test: it answered 503"),
      "\(recorded.err)"
    )
    #expect(recorded.accountFiles == 0)
  }
}
