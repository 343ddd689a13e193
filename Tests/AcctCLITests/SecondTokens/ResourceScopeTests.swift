import AcctCLI
import AcctModel
import AcctPorts
import Secrets
import AcctTestSupport
import StrictJSON
import Testing

/// Scopes of an account with several resources, each of which knows words of its own.
@Suite("The scope of a resource's token")
struct ResourceScopeTests {
  private let record = RecordedWorld()
  private static let notes = "https://notes.example/v1"
  private static let files = "https://files.example/v1"
  private static let mail = "https://mail.example"
  private static let words = [
    notes: ["notes:read", "notes:write"], files: ["files:read", "files:write"], mail: ["mail:send"],
  ]
  private static let needed = [notes: ["notes:read"], files: ["files:read"], mail: ["mail:send"]]
  private static let scope = "openid offline_access notes:read files:read"

  private func acct(_ arguments: [String]) async -> Int32 {
    record.clear()
    return await record.run(arguments)
  }

  /// Signs in for resources, in the browser or on another device.
  private func add(
    _ resources: [String],
    _ scope: String = scope,
    onDevice: Bool = true,
    needing needed: [String: [String]] = needed
  ) async -> ResourceScopeServer {
    let server = ResourceScopeServer(record, Self.words, needing: needed)
    server.grant(scope)
    record.clear()
    let arguments =
      ["add", "--issuer", RecordedServer.issuer, "--client-id", "client", "--name", "n", "--scope", scope]
      + resources.flatMap { ["--resource", $0] } + (onDevice ? ["--device"] : [])
    let status =
      onDevice
      ? await record.run(arguments)
      : await Acct.run(arguments, in: RehearsedBrowser().world(of: record), parsedBy: ParsedLines.parse)
    #expect(status == 0, "\(record.err)")
    return server
  }

  @Test(
    "Each resource gets a token with its own words, in any order, from the browser and from another device",
    arguments: [[notes, files], [files, notes], [mail, files, notes]],
    [true, false]
  )
  func each(resources: [String], onDevice: Bool) async {
    let scope = resources.contains(Self.mail) ? "\(Self.scope) mail:send" : Self.scope
    let server = await add(resources, scope, onDevice: onDevice)
    #expect(!record.err.contains { $0.contains("did not grant") }, "\(record.err)")
    for _ in 0..<2 {
      for resource in resources {
        #expect(await acct(["request", "\(resource)/x"]) == 0, "\(resource): \(record.err)")
        #expect(record.out == #"{"scope":"\#(Self.needed[resource]![0])"}"#)
        #expect(record.err.isEmpty, "\(record.err)")
      }
    }
    #expect(server.forms.count == resources.count)
    // What was granted is kept apart for each.
    #expect(await acct(["status", "--json"]) == 0)
    let status = record.json?.objectValue
    let listed = status?["secondTokens"]?.arrayValue?.map { $0.objectValue?["granted"]?.stringValue }
    #expect(listed == resources.dropFirst().map { Self.needed[$0]?[0] }, "\(record.out)")
    // The account's own renewals are for the first resource, with the words of that one.
    #expect(await acct(["refresh", "--force"]) == 0 && record.err.count <= 1, "\(record.err)")
    #expect(server.forms.last?["resource"] == resources[0])
    #expect(server.forms.last?["scope"] == Self.needed[resources[0]]![0])
    #expect(await acct(["request", "\(resources[0])/x"]) == 0, "\(record.err)")
  }

  @Test("A scope that the server refuses for a resource is left out, and the refresh token is not spent")
  func refused() async {
    let server = await add([Self.notes, Self.files])
    server.beStrict()
    #expect(await acct(["request", "\(Self.files)/x"]) == 0, "\(record.err)")
    #expect(record.out == #"{"scope":"files:read"}"#)
    let second = server.forms.suffix(2)
    #expect(second.first?["scope"] == Self.scope && second.last?["scope"] == nil)
    #expect(second.first?["refresh_token"] == second.last?["refresh_token"])
    #expect(await acct(["token", "--audience", Self.files]) == 0, "\(record.err)")
    #expect(server.forms.count == 3)
    #expect(await acct(["refresh", "--force"]) == 0, "\(record.err)")
  }

  @Test("A scope that the user named for a resource is requested as it is, and its refusal is told")
  func typed() async {
    let server = await add([Self.notes, Self.files])
    server.beStrict()
    #expect(await acct(["token", "--audience", Self.files, "--scope", "notes:read"]) == 4)
    #expect(record.err.first?.contains("invalid_scope: notes:read is not a scope of") == true, "\(record.err)")
    #expect(record.err.last?.contains("name another --scope") == true, "\(record.err)")
    #expect(server.forms.count == 2)
  }

  @Test("A word that no resource's token has is told of once all have answered")
  func denied() async {
    let server = await add([Self.notes, Self.files, Self.mail], "notes:read files:read files:write mail:send")
    server.deny("files:write")
    #expect(await acct(["token", "--audience", Self.files]) == 0)
    #expect(record.err.isEmpty, "\(record.err)")
    #expect(await acct(["token", "--audience", Self.mail]) == 0)
    #expect(record.err == ["acct: the server did not grant files:write"])
  }

  @Test("A resource that wants a word which was not asked for: the printed line signs in for it, and then it works")
  func line() async throws {
    let server = await add([Self.notes, Self.files], needing: [Self.files: ["files:read", "files:write"]])
    #expect(await acct(["request", "\(Self.files)/x"]) == 4)
    #expect(record.err.first?.hasSuffix("asks for a scope that n does not have: files:write") == true, "\(record.err)")
    let hint = try #require(record.err.last)
    let scope = "\(Self.scope) files:write"
    #expect(hint.contains("`acct login n --scope '") && hint.contains("files:write'`"), "\(record.err)")
    server.grant(scope)
    #expect(await acct(["login", "n", "--scope", scope]) == 0, "\(record.err)")
    #expect(await acct(["request", "\(Self.files)/x"]) == 0, "\(record.err)")
    #expect(record.out == #"{"scope":"files:read files:write"}"#)
  }

  @Test("A word that was asked for and not granted leads to no second sign-in for the same")
  func circle() async {
    let server = await add([Self.notes, Self.files])
    server.deny("files:read")
    #expect(await acct(["request", "\(Self.files)/x"]) == 4)
    #expect(record.err.last == "acct: hint: the sign-in asked for it: run it with --scope files:read", "\(record.err)")
    #expect(await acct(["request", "\(Self.files)/x", "--scope", "files:read"]) == 4)
    #expect(record.err.last?.contains("the server did not grant it") == true, "\(record.err)")
    #expect(await acct(["request", "\(Self.notes)/x"]) == 0, "\(record.err)")
  }

  private static let refusals = [
    #"{"error":"invalid_grant","error_description":"this refresh token is for another resource"}"#,
    #"{"error":"invalid_target","error_description":"no such resource"}"#,
    #"{"error":"token_expired"}"#,
  ]

  @Test("The refusal of a second token is about its audience, and the account is as before", arguments: refusals)
  func audience(body: String) async {
    let server = await add([Self.notes, Self.files])
    #expect(await acct(["token"]) == 0)
    let own = record.out
    #expect(await acct(["token", "--audience", Self.files]) == 0)
    let second = record.out
    server.refuse(.json(body, 400))
    #expect(await acct(["token", "--audience", "https://typo.example"]) == 4)
    #expect(
      record.err.first?.hasPrefix("acct: https://as.example issues no token for https://typo.example (400): ") == true,
      "\(record.err)"
    )
    #expect(record.err.last == "acct: hint: name another --audience", "\(record.err)")
    #expect(await acct(["status", "--json"]) == 0, "\(record.err)")
    #expect(record.out.contains(#""state":"valid""#), "\(record.out)")
    #expect(await acct(["token"]) == 0 && record.out == own)
    #expect(await acct(["token", "--audience", Self.files]) == 0 && record.out == second)
    #expect(await acct(["request", "\(Self.notes)/x"]) == 0, "\(record.err)")
    server.refuse(nil)
    #expect(await acct(["refresh", "--force"]) == 0, "\(record.err)")
  }

  @Test("The refusal of a token for one of the account's resources names the sign-in for it alone")
  func ownResource() async {
    let server = await add([Self.notes, Self.files])
    server.refuse(.json(Self.refusals[0], 400))
    #expect(await acct(["request", "\(Self.files)/x"]) == 4)
    #expect(record.err.last?.contains("--resource \(Self.files)") == true, "\(record.err)")
    #expect(record.err.last?.contains("`acct refresh n --force` shows whether") == true, "\(record.err)")
  }

  @Test("Where the account's own token is due as well, its renewal shows whether the session has ended")
  func verified() async {
    let server = await add([Self.notes, Self.files])
    server.refuse(.json(Self.refusals[0], 400))
    record.now += 3600
    #expect(await acct(["token", "--audience", "https://typo.example"]) == 4)
    #expect(record.err.first?.contains("issues no token for https://typo.example") == true, "\(record.err)")
    #expect(await acct(["token"]) == 0, "\(record.err)")
    record.now += 3600
    // As if another machine had spent it.
    record.keyring.put(.refreshToken, Secret("rt-spent"))
    server.refuse(.json(Self.refusals[0], 400))
    #expect(await acct(["token", "--audience", "https://typo.example"]) == 4)
    #expect(record.err.last?.contains("`acct login n`") == true, "\(record.err)")
    #expect(await acct(["status"]) == 4, "\(record.out)")
  }
}
