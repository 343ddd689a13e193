import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// Every server that people have, from the sign-in to the removal.
///
/// Those that acct knows by name come first, then those that a user names by their issuer. MCP servers are not
/// here: `MCPTests` signs in at the real SDK's, by the address of the resource alone.
@Suite("A server that people have")
struct ProviderTableTests {
  @Test("Every server that people have signs in, is named, gives headers, is renewed and is removed")
  func table() async {
    let title = ["sign-in", "name".padded(36), "header", "check", "renewal", "removal"]
    var lines = ["server".padded(46) + "  " + title.joined(separator: "  ")]
    for row in ProviderRow.all + ProviderRow.byIssuer {
      let run = RowRun(row)
      let result = await run.result()
      lines.append(result.line)
      #expect(result.isWhole, "\(result.line)\n\(result.said.joined(separator: "\n"))")
    }
    print(lines.joined(separator: "\n"))
  }

  @Test("A second sign-in by issuer finds the same account", arguments: ProviderRow.byIssuer)
  func againByIssuer(row: ProviderRow) async {
    let run = RowRun(row)
    #expect(await run.add() == 0, "\(run.record.err)")
    #expect(await run.add() == 0, "\(run.record.err)")
    #expect(run.record.accountFiles == 1)
  }

  @Test(
    "A server that refuses pushed requests to a public client gets the parameters in the browser",
    arguments: ProviderRow.byIssuer.filter { $0.pushed != nil && $0.basic == nil && $0.assertionAudience == nil }
  )
  func notPushed(row: ProviderRow) async {
    let run = RowRun(row)
    #expect(await run.add() == 0, "\(run.record.err)")
    #expect(run.record.requests.contains { $0.url.htu == row.pushed })
    #expect(run.browser.parameters["code_challenge"] != nil)
  }

  @Test(
    "A token for another audience leaves the account's own token as it is",
    arguments: ProviderRow.byIssuer.filter { $0.audience != nil }
  )
  func audience(row: ProviderRow) async throws {
    let audience = try #require(row.audience)
    let run = RowRun(row)
    #expect(await run.add() == 0, "\(run.record.err)")
    let second = await run.run("header", "--audience", audience, row.api)
    #expect(second == 0, "\(run.record.err)")
    #expect(run.record.out == "Authorization: Bearer at-second\n")
    #expect(await run.run("header", row.api) == 0, "\(run.record.err)")
    #expect(run.record.out == "Authorization: Bearer \(row.bearer)\n")
    #expect(await run.run("refresh", "--force") == 0, "\(run.record.err)")
    let refresh = try #require(run.record.requests.last { $0.url.htu == row.token })
    let form = RehearsedBrowser.parameters(of: "?" + RowServer.text(refresh.body))
    // The audience of the second token sticks, unless the account's own replaces it.
    #expect(form["audience"] == row.ownAudience)
    #expect(await run.run("header", row.api) == 0, "\(run.record.err)")
    #expect(run.record.out == "Authorization: Bearer at-renewed\n")
  }

  @Test("A second sign-in finds the same account, and needs no client id", arguments: ProviderRow.all)
  func again(row: ProviderRow) async {
    let run = RowRun(row)
    #expect(await run.add() == 0, "\(run.record.err)")
    let flow = row.options.filter { $0 == "--device" }
    #expect(await run.add(flow) == 0, "\(run.record.err)")
    #expect(run.record.accountFiles == 1)
  }
}

/// The life of an account at a row's server.
struct RowRun {
  let row: ProviderRow
  let record = RecordedWorld()
  let browser = RehearsedBrowser()

  init(_ row: ProviderRow) {
    self.row = row
    record.secretFiles["secret"] = "made-up-secret\n"
    record.secretFiles["key"] = MadeUpKeys.p256 + "\n"
    record.provide("secret", "made-up-secret\n")
    RowServer(row: row, record: record, browser: browser).serve()
  }

  struct Result {
    var line: String
    var isWhole: Bool
    var said: [String]
  }

  func run(_ arguments: String...) async -> Int32 {
    record.clear()
    return await Acct.run(arguments, in: browser.world(of: record), parsedBy: ParsedLines.parse)
  }

  /// Signs in as the row says, or with other options.
  func add(_ options: [String]? = nil) async -> Int32 {
    record.clear()
    return await Acct.run(
      ["add"] + row.words + (options ?? row.options),
      in: browser.world(of: record),
      parsedBy: ParsedLines.parse
    )
  }

  func result() async -> Result {
    var said: [String] = []
    func note(_ status: Int32) -> Int32 {
      said += record.err
      return status
    }
    let added = note(await add())
    let asked = row.authorization == nil || isAsked
    let name = record.accountFile?["name"]?.stringValue ?? "-"
    let header = note(await run("header", row.api))
    let isBearer = record.out == "Authorization: Bearer \(row.bearer)\n"
    let check = note(await run("status", "--check"))
    let isTold = !record.err.contains { $0.contains("not checked: ") } || row.userinfo == nil
    let renewal = note(await run("refresh", "--force"))
    let renewed = await run("header", row.api)
    let isRenewed = record.out == "Authorization: Bearer \(row.renewal == nil ? row.bearer : "at-renewed")\n"
    let removal = note(await run("remove", name))
    let revoked = record.requests.contains { $0.url.htu == row.revocation }
    let isRevoked = revoked == (row.revocation != nil)
    let renewalStatus = row.renewal == nil ? "- (\(renewal))" : "\(renewal)"
    return Result(
      line: [
        row.typed.padded(46), "\(added)".padded(7), name.padded(36), "\(header)".padded(6), "\(check)".padded(5),
        renewalStatus.padded(7), "\(removal)",
      ].joined(separator: "  "),
      isWhole: [added, header, check, renewed, removal] == [0, 0, 0, 0, 0] && asked && isBearer
        && isTold && isRenewed
        && isRevoked && name == row.name && (row.renewal == nil || renewal == 0)
        && record.accountFiles == 0,
      said: said + (asked ? [] : ["asked \(browser.addresses)"])
    )
  }

  /// Whether the browser went where it should, with what it should say.
  private var isAsked: Bool {
    guard let address = browser.addresses.last, address.prefix(while: { $0 != "?" }) == row.authorization ?? ""
    else { return false }
    let parameters = RowServer.asked(row, record, browser)
    return row.asks.allSatisfy { parameters[$0.key] == $0.value }
      && parameters["client_id"] == "client" && parameters["code_challenge_method"] == "S256"
      && (row.asks["scope"] != nil || parameters["scope"] == nil)
  }
}

extension String {
  fileprivate func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
}
