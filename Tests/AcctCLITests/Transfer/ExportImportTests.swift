import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// The example of the documentation, which takes no time to open.
@Suite("acct add --import of an export")
struct ExportImportTests {
  let record = RecordedWorld()
  let export: DocumentedExport
  let id: AccountID

  init() throws {
    export = try DocumentedExport()
    id = try AccountID(DocumentedExport.id)
    record.secretFiles["pass"] = DocumentedExport.passphrase
    record.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "pass")
  }

  private func take(_ file: String, _ options: String...) async -> Int32 {
    record.provide("-", file)
    record.clear()
    return await record.run(["add", "--import", "-"] + options)
  }

  private func expectNothing(_ location: SourceLocation = #_sourceLocation) {
    #expect(record.keyring.count == 0, sourceLocation: location)
    #expect(record.accountFiles == 0, sourceLocation: location)
    #expect(record.file(.active) == nil, sourceLocation: location)
  }

  @Test("takes what another program has written by the document alone")
  func documented() async throws {
    #expect(await take(export.file) == 0)
    #expect(record.err == ["acct: added alice"])
    let expected = try JSON(parsing: Array(export.contents.utf8)).objectValue?["accounts"]?
      .arrayValue?.first?.objectValue
    let stored = try #require(try record.members(of: id))
    for (name, value) in try #require(expected?["account"]?.objectValue) {
      #expect(stored[name] == value, "\(name)")
    }
    #expect(record.keyring.items[id]?[.refreshToken] == Secret("refresh-alice"))
    #expect(record.keyring.count == 6)
  }

  /// Every bit of every byte is `SealedExportTests`' business; here it is what becomes of it.
  @Test("a bit that is another: a clear error, and nothing stored")
  func damaged() async {
    let bytes = Array(export.file.utf8)
    // Odd, so that every bit of a byte has its turn.
    for index in stride(from: 0, to: bytes.count, by: TestExtent.isFull ? 11 : 43) {
      var damaged = bytes
      damaged[index] ^= 1 << (index % 8)
      record.provide("-", bytes: damaged)
      #expect(await record.acct("add", "--import", "-") == 65, "byte \(index)")
      #expect(record.err.first?.isEmpty == false)
      expectNothing()
    }
  }

  @Test("a wrong passphrase: says so, and that it can't be told from a change")
  func wrongPassphrase() async {
    record.secretFiles["pass"] = "correct horse battery stable"
    #expect(await take(export.file) == 65)
    #expect(
      record.err.first?.contains("the passphrase is wrong, or the export was modified") == true
    )
    expectNothing()
  }

  @Test("what is damaged is refused before anybody is asked for a passphrase")
  func damagedFirst() async {
    record.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "nowhere")
    #expect(await take(export.file.replacing("\"n\":1024", with: "\"n\":1048576")) == 65)
    #expect(await take(export.file.replacing("\"version\":1", with: "\"version\":2")) == 65)
    #expect(record.err.first?.contains("version") == true)
    #expect(await take(export.file) == 1)
    expectNothing()
  }

  @Test("the same account again is renewed, and keeps the name that it has here")
  func again() async {
    #expect(await take(export.file) == 0)
    #expect(await record.acct("rename", "alice", "mine") == 0)
    #expect(await take(export.file) == 0)
    #expect(record.err == ["acct: renewed mine"])
    #expect(record.accountFiles == 1)
    #expect(record.keyring.count == 6)
  }

  @Test("a name or an id that is taken is changed, and --name decides")
  func taken() async throws {
    #expect(await record.add(Handoffs.bearer(), "--name", "alice") == 0)
    // Somebody else under the same id, which can only be made by hand.
    record.corrupt(.account(id), with: "{")
    #expect(await take(export.file) == 0)
    #expect(record.err == ["acct: added alice-2"])
    #expect(record.file(.account(id)) == "{")
    #expect(await take(export.file, "--name", "carol") == 0)
    #expect(await record.acct("token", "-a", "carol") == 0)
    #expect(record.out == "access-alice\n")
  }

  @Test("the keyring is locked, or fails on the way: nothing is left behind")
  func keyringTrouble() async {
    record.keyring.lock()
    #expect(await take(export.file) == 6)
    expectNothing()
    record.keyring.unlock()
    for count in 0..<6 {
      record.keyring.failWrites(after: count)
      #expect(await take(export.file) == 7)
      expectNothing()
    }
  }

  @Test("what is left in the keyring under its id is not its own")
  func leftovers() async throws {
    try await record.keyring.keyring().write(id, [.init(.guest, Secret("old"))], .forbidden)
    #expect(await take(export.file) == 0)
    #expect(record.keyring.items[id]?[.guest] == nil)
  }

  @Test("--json tells the accounts as a list")
  func asJSON() async {
    #expect(await take(export.file, "--json") == 0)
    let accounts = record.json?.objectValue?["accounts"]?.arrayValue
    #expect(accounts?.count == 1)
    #expect(accounts?.first?.objectValue?["active"] == true)
    #expect(record.err.isEmpty)
  }
}

extension RecordedWorld {
  /// What an account's file says.
  func members(of id: AccountID) throws -> JSONObject? {
    try file(.account(id)).flatMap { text in try JSON(parsing: Array(text.utf8)).objectValue }
  }
}
