import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("acct switch, rename, allow and remove")
struct SwitchTests {
  let record = RecordedWorld()

  private func add(_ names: String...) async {
    for name in names {
      #expect(await record.add(Handoffs.bearer(name), "--name", name) == 0)
    }
  }

  private func active() async -> String {
    #expect(await record.acct("token") == 0)
    return record.out
  }

  @Test("Switch without a name toggles between two accounts")
  func toggle() async {
    await add("alice", "bob")
    #expect(await record.acct("switch") == 0)
    #expect(await active() == "opaque-alice\n")
    #expect(await record.acct("switch") == 0)
    #expect(await active() == "opaque-bob\n")
  }

  @Test("Switch with - goes back to the previous account")
  func back() async {
    await add("alice", "bob", "carol")
    #expect(await record.acct("switch", "alice") == 0)
    #expect(await record.acct("switch", "-") == 0)
    #expect(await active() == "opaque-carol\n")
    #expect(await record.acct("switch", "-") == 0)
    #expect(await active() == "opaque-alice\n")
  }

  @Test("Switch with - is an error without a previous account")
  func noPrevious() async {
    await add("alice")
    #expect(await record.acct("switch", "-") == 5)
  }

  @Test("Switch among three accounts asks on a terminal and is bad usage elsewhere")
  func asks() async {
    await add("alice", "bob", "carol")
    #expect(await record.acct("switch") == 64)
    record.answer("2")
    #expect(await record.acct("switch") == 0)
    #expect(await active() == "opaque-bob\n")
    record.answer("alice")
    #expect(await record.acct("switch") == 0)
    #expect(await active() == "opaque-alice\n")
    record.answer("alice")
    #expect(await record.acct("switch", "--no-input") == 64)
  }

  @Test("Rename changes only the account's name")
  func rename() async {
    await add("alice", "bob")
    #expect(await record.acct("rename", "alice", "work") == 0)
    #expect(await record.acct("token", "-a", "work") == 0)
    #expect(record.out == "opaque-alice\n")
    #expect(await record.acct("switch", "alice") == 5)
  }

  @Test("Rename rejects a name that is taken or is not a name", arguments: ["bob", "-x", "a b", ""])
  func badNames(name: String) async {
    await add("alice", "bob")
    #expect(await record.acct("rename", "--", "alice", name) == 64)
    #expect(name == "bob" || record.err.last?.contains("1 to 253 characters") == true)
    #expect(await record.acct("token", "-a", "alice") == 0)
  }

  @Test("Allow adds an origin, and --revoke removes one")
  func allow() async {
    await add("alice")
    #expect(await record.acct("header", "https://api.example/") == 8)
    #expect(await record.acct("allow", "alice", "https://api.example") == 0)
    #expect(await record.acct("header", "https://api.example/") == 0)
    #expect(await record.acct("allow", "alice", "https://api.example/", "--revoke") == 0)
    #expect(await record.acct("header", "https://api.example/") == 8)
    #expect(await record.acct("allow", "alice", "http://api.example") == 8)
    #expect(await record.acct("allow", "alice", "https://api.example/path?query") == 64)
    #expect(await record.acct("allow", "alice", "http://127.0.0.1:8080") == 0)
  }

  @Test("Remove deletes exactly the account's items and file and its place as the active account")
  func remove() async {
    await add("alice", "bob", "carol")
    let before = record.keyring.count
    #expect(await record.acct("remove", "--local", "carol") == 0)
    #expect(record.keyring.count == before * 2 / 3)
    #expect(record.accountFiles == 2)
    #expect(await record.acct("token") == 5)
    #expect(await record.acct("token", "-a", "alice") == 0)
  }

  @Test("Remove deletes the cached lookup of the account's DID")
  func removeIdentity() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    let did = try DID("did:plc:alice")
    record.corrupt(.identity(did), with: "1800000000 https://pds.example https://auth.example")
    #expect(await record.acct("remove", "--local", "alice.example.com") == 0)
    #expect(record.file(.identity(did)) == nil)
  }

  @Test("Remove changes nothing while the keyring is locked")
  func removeLocked() async {
    await add("alice")
    let before = record.keyring.count
    record.keyring.lock()
    #expect(await record.acct("remove", "--local", "alice") == 6)
    #expect(record.keyring.count == before)
    #expect(record.accountFiles == 1)
  }

  @Test("An account whose file is damaged can be removed by its id, with its secrets")
  func removeDamaged() async throws {
    await add("alice")
    let id = try #require(record.keyring.items.keys.first)
    record.corrupt(.account(id), with: "{")
    #expect(await record.acct("remove", id.description, "--json") == 0)
    #expect(record.json == ["version": 1, "removed": .string(id.description)])
    #expect(record.err.isEmpty)
    #expect(record.keyring.count == 0)
    #expect(record.accountFiles == 0)
  }

  @Test("A removal that was interrupted after the secrets were deleted can be repeated")
  func removeAgain() async throws {
    await add("alice")
    try await record.keyring.lose()
    #expect(await record.acct("remove", "--local", "alice") == 0)
    #expect(record.accountFiles == 0)
  }
}
