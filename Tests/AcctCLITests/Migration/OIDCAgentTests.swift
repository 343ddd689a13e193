import AcctCLI
import AcctConsole
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

@Suite("Sessions that oidc-agent keeps")
struct OIDCAgentTests {
  private let server = OpenIDServer()
  private var record: RecordedWorld { server.record }

  /// An oidc-gen that prints an account, in the words of its version 4 or 5.
  private func install(issuerMember: String = "issuer_url") {
    record.foreignFiles["/home/.config/oidc-agent/egi"] = "encrypted"
    record.foreignFiles["/home/.config/oidc-agent/issuer.config"] = "https://as.example egi"
    server.set { $0.claims?["nonce"] = nil }
    record.programs.install("oidc-gen") { call throws(ProgramFailure) in
      #expect(call.arguments == ["--print", "egi"])
      return ProgramResult(
        status: 0,
        output: Secret(
          """
          {"name":"egi","\(issuerMember)":"https://as.example","client_id":"client","client_secret":"",
           "refresh_token":"rt-of-the-agent","scope":"openid offline_access","audience":""}
          """
        )
      )
    }
  }

  @Test(
    "A session becomes an account that renews itself, named as in oidc-agent, with a notice that ends it there",
    arguments: ["issuer_url", "issuer"]
  )
  func taken(issuerMember: String) async {
    install(issuerMember: issuerMember)
    #expect(await record.acct("add", "--from", "oidc-agent", "egi") == 0, "\(record.err)")
    #expect(
      record.err == [
        "acct: added egi",
        "acct: a refresh token is for one program: end it in oidc-agent with `oidc-add --remove egi` and "
          + "`rm /home/.config/oidc-agent/egi`; `oidc-gen --delete` would revoke it here, too",
      ]
    )
    #expect(server.forms("/token").map { $0["refresh_token"] } == ["rt-of-the-agent"])
    #expect(await record.acct("header", "https://as.example/") == 0)
    #expect(record.out == "Authorization: Bearer at-1-long-enough\n")
    #expect(await record.acct("refresh", "--force") == 0)
    #expect(server.forms("/token").last?["refresh_token"] == "rt-1-long-enough")
    #expect(await record.acct("status", "--json") == 0)
    #expect(record.json?.objectValue?["account"]?["issuer"] == "https://as.example")
  }

  @Test("A session that was taken over is signed in to again by name, in the browser")
  func login() async {
    install()
    #expect(await record.acct("add", "--from", "oidc-agent") == 0, "\(record.err)")
    server.set { $0.claims?["nonce"] = "NONCE" }
    record.clear()
    let world = server.browser.world(of: record)
    #expect(await Acct.run(["login", "egi"], in: world, parsedBy: ParsedLines.parse) == 0, "\(record.err)")
    #expect(record.err.last == "acct: signed in to egi again")
    #expect(server.browser.parameters["scope"] == "openid offline_access")
  }

  @Test("A refresh token that the server does not rotate stays the account's")
  func notRotated() async {
    install()
    server.set { $0.answer = ["refresh_token": .null] }
    #expect(await record.acct("add", "--from", "oidc-agent") == 0, "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(server.forms("/token").map { $0["refresh_token"] } == ["rt-of-the-agent", "rt-of-the-agent"])
  }

  @Test("The same person at the same server renews the account, and keeps its name")
  func known() async {
    #expect(await server.add("--name", "work") == 0)
    install()
    #expect(await record.acct("add", "--from", "oidc-agent") == 0, "\(record.err)")
    #expect(record.err.first == "acct: renewed work")
    #expect(record.accountFiles == 1)
  }

  @Test("A session whose refresh token the server rejects, or that oidc-gen does not print, stores nothing")
  func refused() async {
    install()
    server.set { $0.client = "another" }
    #expect(await record.acct("add", "--from", "oidc-agent") != 0)
    #expect(!record.err.joined().contains("rt-of-the-agent"))
    for (status, output) in [
      (Int32(1), ""), (0, "{}"), (0, "Enter the passphrase"), (0, #"{"issuer_url":"http://as.example"}"#),
    ] {
      record.programs.install("oidc-gen") { _ throws(ProgramFailure) in
        ProgramResult(status: status, output: Secret(output))
      }
      #expect(await record.acct("add", "--from", "oidc-agent") == 1)
    }
    #expect(record.accountFiles == 0)
  }
}
