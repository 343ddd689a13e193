import AcctTestSupport
import StrictJSON
import Testing

/// A second sign-in whose answer has no refresh token, where the account has one.
@Suite("The refresh token of an earlier sign-in")
struct KeptRefreshTokenTests {
  private let server = OpenIDServer()
  private var record: RecordedWorld { server.record }

  private func add(_ scope: String, refreshes: Bool) async -> Int32 {
    server.set { $0.answer = ["scope": .string(scope), "refresh_token": refreshes ? "rt-first" : .null] }
    return await server.add(scope: scope)
  }

  @Test("A smaller scope keeps the refresh token untried, and a renewal requests the smaller scope")
  func smaller() async {
    #expect(await add("openid read offline_access", refreshes: true) == 0, "\(record.err)")
    #expect(await add("openid read", refreshes: false) == 0, "\(record.err)")
    #expect(record.accountFiles == 1)
    #expect(record.accountFile?["canRenew"] == true)
    #expect(record.accountFile?["scope"] == "openid read")
    // Untried: both requests were for the codes.
    #expect(server.forms("/token").allSatisfy { $0["grant_type"] == "authorization_code" })
    #expect(!record.err.contains { $0.contains("refresh token") }, "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    let form = server.forms("/token").last
    #expect(form?["refresh_token"] == "rt-first")
    #expect(form?["scope"] == "openid read")
  }

  @Test("The same scope keeps the refresh token, as at servers that send one at the first consent alone")
  func same() async {
    #expect(await add("openid read", refreshes: true) == 0, "\(record.err)")
    #expect(await add("openid read", refreshes: false) == 0, "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(server.forms("/token").last?["refresh_token"] == "rt-first")
  }

  @Test("Another scope can't be had by the earlier refresh token, and a notice says that it went")
  func larger() async {
    #expect(await add("openid read", refreshes: true) == 0, "\(record.err)")
    #expect(await add("openid read write", refreshes: false) == 0, "\(record.err)")
    #expect(record.accountFile?["canRenew"] == false)
    #expect(
      record.err.contains(
        "acct: the server sent no refresh token this time, and the earlier one of alice@as.example does not "
          + "fit: the account can't be renewed"
      ),
      "\(record.err)"
    )
  }

  @Test("A session that the server has ended keeps no refresh token")
  func ended() async {
    #expect(await add("openid read", refreshes: true) == 0, "\(record.err)")
    server.set { $0.answer = ["error": "invalid_grant", "access_token": .null] }
    #expect(await record.acct("refresh", "--force") == 4, "\(record.err)")
    #expect(await add("openid read", refreshes: false) == 0, "\(record.err)")
    #expect(record.accountFile?["canRenew"] == false)
    #expect(record.err.contains { $0.contains("no refresh token this time") }, "\(record.err)")
  }
}
