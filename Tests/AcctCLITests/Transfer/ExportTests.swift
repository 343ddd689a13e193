import AcctCLI
import AcctConsole
import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("acct export and its import")
struct ExportTests {
  let record = RecordedWorld()
  /// Another machine.
  let other = RecordedWorld()

  init() {
    for world in [record, other] {
      world.secretFiles["pass"] = "made up\n"
      world.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "pass")
    }
  }

  /// Imports an exported file at the other machine.
  private func move(_ options: String...) async -> Int32 {
    other.provide("in", record.secretFiles["out"] ?? "")
    other.clear()
    return await other.run(["add", "--import", "in"] + options)
  }

  @Test("An export moves everything of every account under the same ids and names")
  func moves() async throws {
    #expect(await record.add(Handoffs.dpop(), "--name", "work") == 0)
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("export", "work", "bob.example.com", "-o", "out") == 0)
    #expect(record.out.isEmpty)
    #expect(await move() == 0)
    #expect(other.keyring.items == record.keyring.items)
    for id in record.keyring.items.keys {
      var here = try #require(try record.members(of: id))
      var there = try #require(try other.members(of: id))
      // Each machine has its own.
      (here["history"], there["history"]) = (nil, nil)
      #expect(here == there)
    }
    // The first one named is active.
    #expect(await other.acct("status", "--json") == 0)
    #expect(other.json?.objectValue?["account"]?.objectValue?["name"] == "work")
    #expect(await other.acct("header", "https://pds.example/") == 0)
  }

  @Test("An export moves sessions and guests and what the server said about an account")
  func otherKinds() async throws {
    for (number, kind) in ["session", "guest"].enumerated() {
      let id = try AccountID("00000000-0000-4000-8000-00000000000\(number)")
      record.corrupt(.account(id), with: Self.account(id, kind, "reauthRequired"))
      let item: ItemKind = kind == "session" ? .session : .guest
      try await record.keyring.keyring().write(id, [.init(item, Secret("Fe26.2*x"))], .forbidden)
    }
    record.corrupt(.keyringDecision, with: "secret-service\n")
    record.corrupt(.deviceID, with: "11111111-1111-4111-8111-111111111111\n")
    #expect(await record.acct("export", "--all", "-o", "out") == 0)
    #expect(await move() == 0)
    #expect(other.keyring.items == record.keyring.items)
    for id in record.keyring.items.keys {
      let moved = try #require(try other.members(of: id))
      for (name, value) in try #require(try record.members(of: id)) where name != "history" {
        #expect(moved[name] == value, "\(name)")
      }
    }
    // A machine's own data stays there.
    #expect(other.file(.deviceID) == nil)
  }

  private static func account(_ id: AccountID, _ kind: String, _ recordedState: String) -> String {
    """
    {"version":1,"id":"\(id)","name":"\(kind)-x","kind":"\(kind)","tokenType":"\(kind)",\
    "subject":"\(kind)","issuer":null,"issuerSource":null,"clientId":null,"handle":null,"did":null,\
    "displayName":null,"service":"https://b.example","origins":["https://b.example"],"scope":null,\
    "thumbprint":null,"expiresAt":null,"lifetime":null,"canRenew":false,"sessionEndsAt":null,\
    "standing":"\(recordedState)","reason":"it said so","renewalStartedAt":null,\
    "createdAt":"2026-01-01T00:00:00Z"}
    """
  }

  @Test("An import takes all accounts or none, and undoes the others if one fails")
  func allOrNone() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("export", "--all", "-o", "out") == 0)
    #expect(await other.add(Handoffs.bearer(changing: ["access_token": "older"])) == 0)
    let bob = try #require(other.keyring.items.keys.first)
    let before = (items: other.keyring.items, file: other.file(.account(bob)))

    other.provide("in", record.secretFiles["out"] ?? "")
    var world = other.world()
    let replace = world.files.replace
    world.files.replace = { file, bytes throws(FilesFailure) in
      guard file != .account(bob) else { throw .failed(path: "bob", reason: "no space left") }
      try replace(file, bytes)
    }
    #expect(await Acct.run(["add", "--import", "in"], in: world) == 1)
    #expect(other.keyring.items == before.items)
    #expect(other.accountFiles == 1)
    #expect(other.file(.account(bob)) == before.file)
    #expect(await other.acct("token") == 0)
    #expect(other.out == "older\n")

    #expect(await move() == 0)
    #expect(other.accountFiles == 2)
    #expect(await other.acct("token", "-a", "bob.example.com") == 0)
    #expect(other.out == "opaque-bob\n")
    // One name can't be two accounts'.
    #expect(await move("--name", "both") == 64)
  }

  @Test("An export holds no readable secret and goes to standard output unless that is a terminal")
  func standardOutput() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.acct("export", "alice.example.com") == 0)
    #expect(record.out.hasPrefix(#"{"header":{"format":"acct-export","version":1,"#))
    for marker in ["eyJ", "refresh-alice", "did:plc"] { #expect(!record.out.contains(marker)) }
    record.connectTerminal()
    #expect(await record.acct("export", "alice.example.com") == 64)
    #expect(record.out.isEmpty)
    #expect(record.err.first?.contains("terminal") == true)
  }

  @Test("An export warns only about refresh tokens that are now in two places")
  func warns() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("export", "alice.example.com", "-o", "out") == 0)
    #expect(record.err.first?.contains("alice.example.com is now in two places") == true)
    #expect(await record.acct("export", "bob.example.com", "-o", "other") == 0)
    #expect(record.err == ["acct: exported bob.example.com to other"])
  }

  @Test("An export replaces no file without --force, and says so before it asks for a passphrase")
  func overwriting() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.secretFiles["out"] = "precious"
    record.secretFiles["pass"] = nil
    #expect(await record.acct("export", "bob.example.com", "-o", "out") == 1)
    #expect(record.err.last == "acct: hint: `--force` replaces it")
    #expect(record.secretFiles["out"] == "precious")
    record.secretFiles["pass"] = "made up"
    #expect(await record.acct("export", "bob.example.com", "-o", "out", "--force") == 0)
    #expect(await move() == 0)
  }

  @Test("An export asks for the passphrase twice, and the import once")
  func prompts() async {
    record.secretFiles["pass"] = nil
    record.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "")
    #expect(await record.add(Handoffs.bearer()) == 0)
    let asking = RecordedWorld()
    #expect(await asking.add(Handoffs.bearer()) == 0)
    asking.answer("one", "two")
    #expect(await asking.acct("export", "bob.example.com", "-o", "out") == 1)
    #expect(asking.err.first == "acct: the two passphrases differ")
    #expect(asking.secretFiles["out"] == nil)
    asking.answer("one", "one")
    #expect(await asking.acct("export", "bob.example.com", "-o", "out") == 0)
    let target = RecordedWorld()
    target.provide("in", asking.secretFiles["out"] ?? "")
    target.answer("one")
    #expect(await target.acct("add", "--import", "in") == 0)
    #expect(target.accountFiles == 1)
  }

  @Test("An export without a passphrase and without a terminal is bad usage")
  func noPassphrase() async {
    let asking = RecordedWorld()
    #expect(await asking.add(Handoffs.bearer()) == 0)
    #expect(await asking.acct("export", "bob.example.com", "-o", "out") == 64)
    #expect(asking.err.last?.contains("--passphrase-file") == true)
    asking.answer("")
    #expect(await asking.acct("export", "bob.example.com", "-o", "out") == 1)
    asking.secretFiles["empty"] = "\n"
    let empty = await asking.acct("export", "bob.example.com", "-o", "out", "--passphrase-file", "empty")
    #expect(empty == 1)
    #expect(asking.secretFiles["out"] == nil)
  }

  @Test("An account without its secrets can't be exported")
  func signedOut() async throws {
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.add(Handoffs.dpop()) == 0)
    try await record.keyring.lose([.keypair])
    #expect(await record.acct("export", "bob.example.com", "alice.example.com", "-o", "out") == 4)
    #expect(record.secretFiles["out"] == nil)
    record.keyring.lock()
    #expect(await record.acct("export", "bob.example.com", "-o", "out") == 6)
  }

  @Test("An export needs a named account, and --all means every one")
  func whichAccount() async {
    #expect(await record.acct("export", "--all") == 5)
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("export") == 64)
    #expect(await record.acct("export", "--all", "bob.example.com") == 64)
    #expect(await record.acct("export", "nobody", "-o", "out") == 5)
  }
}
