import Release
import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// Tokens for other audiences and scopes out of an account's refresh token.
@Suite("A second token")
struct SecondTokenTests {
  private let record = RecordedWorld()

  /// An account of a server whose refreshes stick.
  private func account(namesAudience: Bool = true, _ options: String...) async -> StickyServer {
    let server = StickyServer(record, namesAudience: namesAudience)
    record.clear()
    #expect(
      await record.run(["add", "--issuer", RecordedServer.issuer, "--client-id", "client", "--device"] + options) == 0,
      "\(record.err)"
    )
    return server
  }

  /// What the token that was printed is for.
  private var claims: JSONObject? {
    StickyServer.claims(of: record.out.split(separator: "\n").first.map(String.init) ?? "")
  }

  private func kept(_ kind: ItemKind) -> String? { record.keyring.items.values.first?[kind].map { text(of: $0) } }

  @Test("A second token is requested once, and the account's own token, scope and end stay")
  func own() async throws {
    let server = await account()
    #expect(await record.acct("token") == 0)
    let (own, file) = (record.out, try #require(record.accountFile))
    record.now += 60
    #expect(await record.acct("token", "--audience", "https://a.example") == 0, "\(record.err)")
    #expect(claims?["aud"] == "https://a.example")
    #expect(claims?["scope"] == .string(StickyServer.scope))
    #expect(record.err.isEmpty, "\(record.err)")
    let second = record.out
    for arguments in [["token"], ["token", "--offline"]] {
      record.clear()
      #expect(await record.run(arguments + ["--audience", "https://a.example"]) == 0)
      #expect(record.out == second)
    }
    #expect(await record.acct("token") == 0)
    #expect(record.out == own)
    #expect(server.forms.count == 2)
    #expect(kept(.refreshToken) == "refresh-2")
    for member in ["expiresAt", "lifetime", "scope", "origins", "renewalStartedAt"] {
      #expect(record.accountFile?[member] == file[member], "\(member)")
    }
  }

  @Test("A renewal of the account requests what its own token was for, at a server where a refresh sticks")
  func sticks() async {
    let server = await account()
    #expect(await record.acct("token", "--audience", "a", "--scope", "read") == 0)
    #expect(claims?["scope"] == "read")
    for _ in 0..<2 {
      #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
      #expect(await record.acct("token") == 0)
      #expect(claims?["aud"] == .string(StickyServer.audience))
      #expect(claims?["scope"] == .string(StickyServer.scope))
      #expect(record.accountFile?["scope"] == .string(StickyServer.scope))
    }
    // Another token, whose purpose leaves the scope or the audience open, has the account's.
    #expect(await record.acct("token", "--audience", "b") == 0)
    #expect(claims?["scope"] == .string(StickyServer.scope))
    #expect(await record.acct("token", "--scope", "write") == 0)
    #expect(claims?["aud"] == .string(StickyServer.audience))
    #expect(server.forms.count == 6)
  }

  @Test("A renewal before the first second token requests nothing by name")
  func unchanged() async {
    let server = await account()
    #expect(await record.acct("refresh", "--force") == 0)
    #expect(Set(server.forms[1].keys) == ["grant_type", "refresh_token", "client_id"])
    #expect(record.accountFile?["ownGrant"] == nil)
  }

  @Test("A server that rejects what is requested by name is asked as before, and another audience is told of")
  func rejected() async {
    let server = await account()
    #expect(await record.acct("token", "--audience", "a") == 0)
    // This server goes on with the audience of the last request that named one.
    let ignored = "acct: the server ignored the audience: the token is for a"
    let refusals =
      [
        "invalid_target", "invalid_scope", "invalid_request", "unauthorized_client", "unknown_audience",
      ].map { HTTPResponse.json(#"{"error":"\#($0)"}"#, 400) }
      + [400, 403].map { .json("{}", $0) }
    for refusal in refusals {
      server.answer(refusal)
      #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
      #expect(server.forms.last?["audience"] == nil)
      #expect(record.err.contains(ignored), "\(record.err)")
    }
  }

  @Test("A rejection that is not about what is requested is told, and nothing else is requested")
  func rejectedClient() async {
    let server = await account()
    #expect(await record.acct("token", "--audience", "a") == 0)
    let own = kept(.accessToken)
    let refusals =
      [(HTTPResponse.json(#"{"error":"invalid_client"}"#, 400), 4)]
      + [401, 404, 407, 408, 421].map { (.json("{}", $0), 11) } as [(HTTPResponse, Int32)]
    for (refusal, status) in refusals {
      server.answer(refusal)
      let count = server.forms.count
      #expect(
        await record.acct("refresh", "--force") == status,
        "\(refusal.status): \(record.err)"
      )
      #expect(server.forms.count == count + 1, "\(refusal.status)")
      #expect(kept(.accessToken) == own, "\(refusal.status)")
    }
  }

  @Test("A renewal that grants less than the account had says so, and `refresh --all` whose it is")
  func narrowedAtRefresh() async {
    let server = await account()
    #expect(await record.acct("token", "--scope", "read") == 0)
    for (options, owner) in [
      ([], ""), (["--all"], "alice@as.example: "), (["--all", "--json"], "alice@as.example: "),
    ] as [([String], String)] {
      server.answer(RecordedServer.tokens("b", ["scope": "read"]))
      record.clear()
      #expect(await record.run(["refresh", "--force"] + options) == 0, "\(record.err)")
      let words = "acct: \(owner)the server did not grant "
      #expect(record.err.contains { $0.hasPrefix(words) }, "\(record.err)")
    }
  }

  @Test("The scope of an opaque token is requested again after a second token")
  func opaque() async {
    let server = await account(namesAudience: false)
    #expect(await record.acct("token", "--scope", "read") == 0)
    #expect(await record.acct("refresh", "--force") == 0)
    #expect(server.forms.last?["scope"] == StickyServer.scope)
    #expect(server.forms.last?["audience"] == nil)
  }

  @Test("A scope in another order is the same purpose, and another audience is not")
  func purposes() async {
    let server = await account()
    for scope in ["write read", "read write", "read write read"] {
      #expect(await record.acct("token", "--scope", scope) == 0, "\(record.err)")
    }
    #expect(server.forms.count == 2)
    #expect(await record.acct("token", "--scope", "read write", "--audience", "a") == 0)
    #expect(server.forms.count == 3)
  }

  @Test("A second token is renewed when it is due, by itself, and used while no renewal can be made")
  func due() async {
    let server = await account()
    #expect(await record.acct("header", "--audience", "a") == 0)
    let first = record.out
    record.now += 3299
    #expect(await record.acct("header", "--audience", "a") == 0)
    #expect(record.out == first)
    #expect(await record.acct("header", "--audience", "a", "--min-valid", "400", "--offline") == 0)
    #expect(record.out == first)
    #expect(record.err.first?.contains("could not be renewed") == true, "\(record.err)")
    server.answer(.json("{}", 503))
    record.now += 1
    #expect(await record.acct("header", "--audience", "a") == 0)
    #expect(record.out == first)
    #expect(await record.acct("header", "--audience", "a") == 0)
    #expect(record.out != first)
    record.now += 3600
    #expect(await record.acct("token", "--audience", "a", "--offline") == 4)
    #expect(await record.acct("token", "--audience", "never", "--offline") == 4)
    server.answer(.json("{}", 503))
    #expect(await record.acct("token", "--audience", "a") == 11)
  }

  @Test("A request with a second token that is rejected renews that token alone")
  func request() async throws {
    let server = await account()
    #expect(await record.acct("allow", "alice@as.example", "https://a.example") == 0)
    #expect(await record.acct("token") == 0)
    let own = record.out
    #expect(await record.acct("token", "--audience", "a") == 0)
    let rejected = record.out.dropLast()
    record.serve { request throws(HTTPFailure) in
      guard request.url.path == "/things" else { return server.respond(to: request) }
      return request.carries(bearer: String(rejected)) ? .json("{}", 401) : .json(#"{"it":1}"#)
    }
    #expect(await record.acct("request", "--audience", "a", "https://a.example/things") == 0)
    #expect(record.out == #"{"it":1}"#)
    #expect(server.forms.last?["audience"] == "a")
    #expect(await record.acct("token") == 0)
    #expect(record.out == own)
    // The origins are the account's, whatever the token is for; no keyring is asked for another.
    #expect(await record.acct("request", "--audience", "a", "https://b.example/things") == 8)
    #expect(await record.acct("header", "--audience", "a", "https://b.example/things") == 8)
  }

  @Test("A second token that another process has just got is taken from the keyring")
  func meanwhile() async {
    let server = await account()
    #expect(await record.acct("token", "--audience", "a") == 0)
    let item = kept(.secondTokens) ?? ""
    record.keyring.put(.secondTokens, Secret(#"{"version":1,"tokens":[]}"#))
    let keyring = record.keyring
    // Between the first look and the one under the account's lock.
    keyring.interruptNextRead { keyring.put(.secondTokens, Secret(item)) }
    #expect(await record.acct("token", "--audience", "a") == 0)
    #expect(server.forms.count == 2)
  }

  @Test("A new refresh token is stored before the second token, which can be had again")
  func order() async {
    let server = await account()
    record.keyring.failWrites(after: 1, with: .failed(reason: "full"))
    #expect(await record.acct("token", "--audience", "a") != 0)
    #expect(kept(.refreshToken) == "refresh-2")
    #expect(kept(.secondTokens) == nil)
    record.keyring.failWrites(after: 1000, with: .failed(reason: "full"))
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(server.forms.last?["refresh_token"] == "refresh-2")
  }

  @Test("The refusal of a second token keeps the account; only its own renewal ends it")
  func ended() async {
    let server = await account()
    server.answer(.json(#"{"error":"invalid_target","error_description":"no such audience"}"#, 400))
    #expect(await record.acct("token", "--audience", "a") == 4)
    #expect(record.err.first?.contains("invalid_target: no such audience") == true)
    #expect(await record.acct("token") == 0)
    server.answer(.json(#"{"error":"invalid_grant","error_description":"gone"}"#, 400))
    #expect(await record.acct("token", "--audience", "a") == 4)
    #expect(await record.acct("token") == 0)
    server.answer(.json(#"{"error":"invalid_grant","error_description":"gone"}"#, 400))
    #expect(await record.acct("refresh", "--force") == 4)
    #expect(await record.acct("token", "--audience", "a") == 4)
    #expect(await record.acct("token") == 4)
  }

  @Test("Of more than 16 second tokens the one that was granted first goes")
  func limit() async {
    let server = await account()
    for number in 0...16 { #expect(await record.acct("token", "--audience", "a\(number)") == 0) }
    #expect(server.forms.count == 18)
    #expect(await record.acct("token", "--audience", "a16") == 0)
    #expect(await record.acct("token", "--audience", "a1") == 0)
    #expect(server.forms.count == 18)
    #expect(await record.acct("token", "--audience", "a0") == 0)
    #expect(server.forms.count == 19)
  }

  @Test("A new sign-in and a removal remove the second tokens, and an export has none")
  func removal() async {
    _ = await account()
    #expect(await record.acct("token", "--audience", "a") == 0)
    #expect(kept(.secondTokens) != nil)
    record.secretFiles["pass"] = "made up\n"
    record.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "pass")
    #expect(await record.acct("export", "--all", "-o", "out") == 0, "\(record.err)")
    let other = RecordedWorld()
    other.secretFiles["pass"] = "made up\n"
    other.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "pass")
    other.provide("in", record.secretFiles["out"] ?? "")
    #expect(await other.run(["add", "--import", "in"]) == 0, "\(other.err)")
    #expect(other.keyring.items.values.first?[.secondTokens] == nil)
    #expect(other.keyring.items.values.first?[.refreshToken] != nil)
    // The refresh token went along, and what it must be used for.
    #expect(other.accountFile?["ownGrant"] != nil)

    _ = await account()
    #expect(record.accountFiles == 1)
    #expect(kept(.secondTokens) == nil)
    #expect(record.accountFile?["ownGrant"] == nil)
    #expect(await record.acct("token", "--audience", "a") == 0)
    #expect(await record.acct("remove", "--local", "alice@as.example") == 0)
    #expect(record.keyring.count == 0)
  }

  @Test("An account without a refresh token has no second token, and no server is asked")
  func none() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    for command in ["token", "header"] {
      #expect(await record.acct(command, "--audience", "a") == 64)
      #expect(record.err.first?.contains("has no refresh token") == true, "\(record.err)")
    }
    #expect(
      await record.acct("request", "--scope", "a", "https://issuer.example/x") == 64
    )
  }

  @Test(
    "An audience or a scope that can't be one is bad usage",
    arguments: [
      ["--audience", ""], ["--audience", "a\nb"], ["--scope", ""], ["--scope", "a  b"],
      ["--scope", "a\"b"], ["--scope", " a"], ["--audience", String(repeating: "a", count: 1025)],
    ]
  )
  func usage(options: [String]) async {
    #expect(await record.run(["token"] + options) == 64)
  }

  @Test("An account of a server that knows resources requests an audience that is a URL as one")
  func resource() async {
    let server = await account(namesAudience: true, "--resource", "https://any.example")
    #expect(await record.acct("token", "--audience", "https://a.example/v1") == 0)
    #expect(server.forms.last?["resource"] == "https://a.example/v1")
    #expect(server.forms.last?["audience"] == nil)
    #expect(await record.acct("token", "--audience", "named") == 0)
    #expect(server.forms.last?["audience"] == "named")
    #expect(server.forms.last?["resource"] == nil)
    #expect(await record.acct("refresh", "--force") == 0)
    #expect(server.forms.last?["resource"] == "https://any.example")
    #expect(server.forms.last?["audience"] == nil)
  }

  @Test("A server that ignores the audience, or grants less, is told of")
  func notices() async {
    let server = await account()
    let token = Handoffs.token(["aud": ["client", "x\u{7}"]])
    server.answer(RecordedServer.tokens("b", ["access_token": .string(token), "scope": "read"]))
    #expect(await record.acct("token", "--audience", "a", "--scope", "read more") == 0)
    #expect(
      record.err == [
        "acct: the server did not grant more",
        #"acct: the server ignored the audience: the token is for client x\u{7}"#,
      ]
    )
  }

  @Test("A second token of a bound account is bound to the same key")
  func bound() async {
    let handoff = Handoffs.dpop(changing: ["issuer": "https://as.example", "clientId": "client"])
    #expect(await record.add(handoff) == 0)
    let server = RecordedServer(record, tokens: RecordedServer.tokens("b", ["token_type": "DPoP"]))
    let url = "https://pds.example/xrpc/a"
    #expect(await record.acct("header", "--audience", "a", url) == 0, "\(record.err)")
    let lines = record.out.split(separator: "\n")
    #expect(lines.first == "Authorization: DPoP at-b-long-enough")
    #expect(lines.last?.hasPrefix("DPoP: ") == true)
    #expect(server.fields("DPoP", "/token").first?.isEmpty == false)
    #expect(await record.acct("header", "--audience", "a", url) == 0)
    #expect(server.bodies("/token").count == 1)
    server.set("/token", RecordedServer.tokens("c"))
    #expect(await record.acct("token", "--audience", "b") == 11)
    #expect(record.err.first?.contains("a token of type Bearer") == true, "\(record.err)")
    // The refresh token before it may be used up.
    #expect(kept(.refreshToken) == "rt-c-long-enough")
    #expect(record.accountFile?["renewalStartedAt"] == .null)
  }

  @Test("A request that is sent in place of a rejected one has the nonce of the rejection")
  func nonce() async throws {
    let handoff = Handoffs.dpop(changing: ["issuer": "https://as.example", "clientId": "client"])
    #expect(await record.add(handoff) == 0)
    let own = RecordedServer.tokens("b", ["token_type": "DPoP"])
    let server = RecordedServer(record, tokens: own)
    #expect(await record.acct("token", "--audience", "a") == 0, "\(record.err)")
    // Without a code the client itself learns nothing before the answer has been dealt with.
    server.set("/token", .json("{}", 400, ("DPoP-Nonce", "of-the-rejection")), own)
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    let proofs = server.fields("DPoP", "/token").suffix(2).map { StickyServer.claims(of: $0) }
    #expect(proofs.map { $0?["nonce"] } == [nil, "of-the-rejection"])
  }

  @Test("A form never has a parameter twice, whatever tells the audience and the resource")
  func told() async {
    let resource = "https://any.example"
    for options in [
      ["--token-param", "audience=own"], ["--resource", resource],
      ["--token-param", "audience=own", "--resource", resource],
    ] {
      let server = StickyServer(record)
      let isTold = options.contains("audience=own")
      record.clear()
      #expect(
        await record.run(
          ["add", "--issuer", RecordedServer.issuer, "--client-id", "client", "--device"] + options
        ) == 0,
        "\(record.err)"
      )
      #expect(await record.acct("token", "--audience", "x") == 0, "\(record.err)")
      #expect(server.forms.last?["audience"] == "x")
      #expect(server.forms.last?["resource"] == nil)
      #expect(await record.acct("token", "--scope", "read") == 0, "\(record.err)")
      #expect(server.forms.last?["audience"] == (isTold ? "own" : nil))
      #expect(await record.acct("token", "--audience", "https://b.example") == 0, "\(record.err)")
      let isResource = options.contains("--resource")
      #expect(server.forms.last?[isResource ? "resource" : "audience"] == "https://b.example")
      #expect(server.forms.last?[isResource ? "audience" : "resource"] == nil)
      #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
      #expect(server.forms.last?["audience"] == (isTold ? "own" : nil))
      #expect(server.forms.last?["resource"] == (isResource ? resource : nil))
      #expect(await record.acct("remove", "--local", "alice@as.example") == 0, "\(record.err)")
    }
  }

  @Test("A second token keeps offline_access, without which the refresh token could end")
  func offlineAccess() async {
    let server = await account()
    record.clear()
    server.answer(RecordedServer.tokens("a", ["refresh_token": "refresh-0", "scope": "read write offline_access"]))
    let add = ["add", "--issuer", RecordedServer.issuer, "--client-id", "client", "--device"]
    #expect(await record.run(add) == 0, "\(record.err)")
    server.answer(RecordedServer.tokens("b", ["scope": "read"]))
    #expect(await record.acct("token", "--scope", "read") == 0, "\(record.err)")
    #expect(server.forms.last?["scope"] == "read offline_access")
    #expect(record.err.isEmpty, "\(record.err)")
    #expect(await record.acct("status", "--json") == 0)
    #expect(record.out.contains(#""scope":"read""#), "\(record.out)")
  }

  @Test("A renewal that brings less than the account had is told of")
  func narrowed() async {
    let server = await account()
    #expect(await record.acct("token", "--scope", "read") == 0, "\(record.err)")
    server.answer(RecordedServer.tokens("b", ["scope": "read"]))
    record.now += 3600
    #expect(await record.acct("token") == 0)
    #expect(record.err == ["acct: the server did not grant write"])
  }

  @Test("The second tokens of an account are listed by status, without the tokens")
  func listed() async {
    _ = await account()
    #expect(await record.acct("status", "--json") == 0)
    #expect(record.json?.objectValue?["secondTokens"] == [])
    #expect(await record.acct("token", "--audience", "a", "--scope", "read") == 0)
    let token = record.out.dropLast()
    #expect(await record.acct("status", "--json") == 0)
    let listed = record.json?.objectValue?["secondTokens"]?.arrayValue?.first?.objectValue
    #expect(listed?["audience"] == "a")
    #expect(listed?["scope"] == "read")
    #expect(listed?["expiresAt"] != .null)
    #expect(!record.out.contains(token))
    #expect(await record.acct("status") == 0)
    #expect(record.out.contains("for a, scope read: in "), "\(record.out)")
  }

  @Test("A damaged item is reported by doctor and replaced by the next second token")
  func damaged() async {
    _ = await account()
    #expect(await record.acct("token", "--audience", "a") == 0)
    record.keyring.put(.secondTokens, Secret("{}"))
    _ = await record.acct("doctor")
    #expect(record.out.contains("tokens for other audiences and scopes"), "\(record.out)")
    #expect(await record.acct("token", "--audience", "a") == 0, "\(record.err)")
    #expect(kept(.secondTokens)?.contains(#""audience":"a""#) == true)
  }
}
