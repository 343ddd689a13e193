import AcctEngine
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("The source of an account")
struct ProvenanceTests {
  let record = RecordedWorld()

  /// The only account, as its file has it.
  private func stored() throws -> (account: Account, members: JSONObject) {
    let ids = record.keyring.items.keys.filter { record.file(.account($0)) != nil }
    let text = try #require(ids.first.flatMap { record.file(.account($0)) })
    let account = try #require(AccountFile.decode(Array(text.utf8)))
    return (account, try #require(JSON(parsing: Array(text.utf8)).objectValue))
  }

  private func decoded(_ members: JSONObject, without names: [String]) throws -> Account {
    var members = members
    for name in names { members[name] = nil }
    return try #require(AccountFile.decode(JSON.object(members).serialized()))
  }

  @Test("An imported account's file names the user as its source")
  func imported() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    let (account, members) = try stored()
    #expect(account.source == .user)
    #expect(members["source"] == "user")
    #expect(members["backend"] == .null)
  }

  @Test("An account's source is read as it was written")
  func roundTrip() async throws {
    #expect(await record.add(Handoffs.dpop(), "--allow-origin", "https://api.example") == 0)
    let backend = try Origin("https://app.example")
    var members = try stored().members
    members["origins"] = .array((members["origins"]?.arrayValue ?? []) + [.string(backend.description)])
    var reasons = try #require(members["originReasons"]?.objectValue)
    reasons[backend.description] = ["signIn", "resource", "user"]
    members["originReasons"] = .object(reasons)
    members["places"] = nil
    var account = try decoded(members, without: [])
    #expect(account.origins.reasons(for: backend) == [.signIn, .resource, .user])
    for source in [AccountSource.issuer, .backend(backend), .user, nil] {
      account.source = source
      #expect(AccountFile.decode(AccountFile.encode(account)) == account)
    }
  }

  @Test("An old account file has no source, and its origins are not the user's choice")
  func oldFile() async throws {
    #expect(await record.add(Handoffs.dpop(), "--allow-origin", "https://api.example") == 0)
    let new = ["source", "backend", "originReasons"]
    let (account, members) = try stored()
    let old = try decoded(members, without: new)
    #expect(old.source == nil)
    #expect(Array(old.origins) == Array(account.origins))
    #expect(old.origins.allSatisfy { old.origins.reasons(for: $0) == .signIn })
    // A session's backend is its service; so it was before, and nothing else could make one.
    var session = members
    session["kind"] = "session"
    session["tokenType"] = "session"
    let service = try #require(account.service)
    #expect(try decoded(session, without: new).source == .backend(service))
  }

  @Test("A backend source without a backend is damage, and an unknown source is none")
  func badFile() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    var members = try stored().members
    members["source"] = "backend"
    #expect(AccountFile.decode(JSON.object(members).serialized()) == nil)
    members["source"] = "tomorrow"
    #expect(AccountFile.decode(JSON.object(members).serialized())?.source == nil)
  }

  @Test("An origin removed from a file's list is removed, whatever its reasons")
  func listDecides() async throws {
    #expect(await record.add(Handoffs.dpop(), "--allow-origin", "https://api.example") == 0)
    var members = try stored().members
    members["origins"] = ["https://pds.example"]
    let account = try #require(AccountFile.decode(JSON.object(members).serialized()))
    #expect(Array(account.origins) == [try Origin("https://pds.example")])
  }

  @Test("Importing the same file again renews the account, also one from an old file")
  func again() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    let (account, members) = try stored()
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(record.accountFiles == 1)
    var old = members
    for name in ["source", "backend", "originReasons"] { old[name] = nil }
    let text = String(decoding: JSON.object(old).serialized(), as: UTF8.self)
    record.corrupt(.account(account.id), with: text)
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(record.accountFiles == 1)
    #expect(try stored().account.source == .user)
  }

  @Test("New credentials replace an account's origins, except those that the user allowed")
  func origins() async throws {
    let first = Handoffs.bearer(changing: ["origins": ["https://one.example"]])
    #expect(await record.add(first, "--allow-origin", "https://mine.example") == 0)
    #expect(await record.acct("allow", "bob.example.com", "https://also.example") == 0)
    let second = Handoffs.bearer(changing: ["origins": ["https://two.example"]])
    #expect(await record.add(second) == 0)
    #expect(await record.acct("status", "--json") == 0)
    #expect(
      record.json?["account"]?["origins"] == ["https://two.example", "https://mine.example", "https://also.example"]
    )
    #expect(await record.acct("header", "https://one.example/") == 8)
    #expect(await record.acct("allow", "--revoke", "bob.example.com", "https://mine.example") == 0)
    #expect(await record.add(first) == 0)
    #expect(await record.acct("header", "https://mine.example/") == 8)
    #expect(await record.acct("header", "https://also.example/") == 0)
  }
}
