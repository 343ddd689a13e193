import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import Testing

@Suite("A backend's callback through the desktop, in memory")
struct BackendDesktopTests {
  private let recorded = RecordedWorld()

  private func add(_ callback: String) async -> Int32 {
    recorded.serve { request throws(HTTPFailure) in
      if request.url.path == "/api/auth/start" { return .json(#"{"authUrl":"https://as.example/authorize"}"#) }
      return .json(
        """
        {"accessToken":"at","refreshToken":"rt","handle":"alice.test",
         "did":"did:plc:alicetestaccountaaaaaaaa","pds":"https://pds.example"}
        """
      )
    }
    var world = recorded.world()
    world.browser = Browser { _ in true }
    return await Acct.run(
      ["add", "--backend", "https://app.example", "--callback", callback],
      in: world,
      schemes: recorded.desktop.handler(),
      parsedBy: ParsedLines.parse
    )
  }

  @Test("A callback from the desktop completes the sign-in, and the scheme is released")
  func taken() async {
    recorded.desktop.opens("limit://other?code=x", "limit://auth?code=", "limit://auth?code=c")
    #expect(await add("limit://auth") == 0, "\(recorded.err)")
    #expect(recorded.desktop.registered == ["limit"])
    #expect(!recorded.desktop.isRegistered)
    #expect(recorded.desktop.answers == [.unexpected, .unexpected, .done])
    #expect(recorded.accountFiles == 1)
  }

  @Test("A callback with a refusal releases the scheme")
  func refused() async {
    recorded.desktop.opens("limit://auth?error=access_denied")
    #expect(await add("limit://auth") == 4, "\(recorded.err)")
    #expect(!recorded.desktop.isRegistered)
    #expect(recorded.desktop.answers == [.failed])
    #expect(recorded.accountFiles == 0)
  }

  @Test("A callback without a waiting sign-in is reported without its contents")
  func nobodyWaits() async {
    #expect(await recorded.run(["callback", "--", "limit://auth?code=secret"]) == 1)
    #expect(recorded.err.joined().contains("no sign-in is waiting"))
    #expect(!recorded.err.joined().contains("secret"))
  }
}
