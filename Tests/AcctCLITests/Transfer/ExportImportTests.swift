import AcctModel
import Secrets
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

  @Test("An import accepts an export that another program wrote from the document alone")
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

  /// `SealedExportTests` covers every bit of every byte; this test covers the command's result.
  @Test("An export with a flipped bit is a clear error and stores nothing")
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

  @Test("A wrong passphrase of an export is reported as indistinguishable from a modified file")
  func wrongPassphrase() async {
    record.secretFiles["pass"] = "correct horse battery stable"
    #expect(await take(export.file) == 65)
    #expect(
      record.err.first?.contains("the passphrase is wrong, or the export was modified") == true
    )
    expectNothing()
  }

  @Test("A damaged export is rejected before the passphrase is read")
  func damagedFirst() async {
    record.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "nowhere")
    #expect(await take(export.file.replacing("\"n\":1024", with: "\"n\":1048576")) == 65)
    #expect(await take(export.file.replacing("\"version\":1", with: "\"version\":2")) == 65)
    #expect(record.err.first?.contains("version") == true)
    #expect(await take(export.file) == 1)
    expectNothing()
  }

  @Test("An import of the same account again changes nothing of it and keeps its name here")
  func again() async {
    #expect(await take(export.file) == 0)
    #expect(await record.acct("rename", "alice", "mine") == 0)
    #expect(await take(export.file) == 0)
    #expect(record.err == ["acct: mine has the same tokens already"])
    #expect(record.accountFiles == 1)
    #expect(record.keyring.count == 6)
  }

  @Test("An imported name or id that is taken is changed, and a known account keeps its name")
  func taken() async throws {
    #expect(await record.add(Handoffs.bearer(), "--name", "alice") == 0)
    // Another account under the same id, which can only be made by hand.
    record.corrupt(.account(id), with: "{")
    #expect(await take(export.file) == 0)
    #expect(record.err == ["acct: added alice-2"])
    #expect(record.file(.account(id)) == "{")
    #expect(await take(export.file, "--name", "carol") == 0)
    #expect(
      record.err == [
        "acct: it has an account already, which keeps its name; to rename it, run `acct rename alice-2 carol`",
        "acct: alice-2 has the same tokens already",
      ]
    )
    #expect(await record.acct("token", "-a", "alice-2") == 0)
    #expect(record.out == "access-alice\n")
  }

  @Test("An import leaves nothing if the keyring is locked or fails half-way")
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

  @Test("An import does not adopt items that the keyring had under its id")
  func leftovers() async throws {
    try await record.keyring.keyring().write(id, [.init(.guest, Secret("old"))], .forbidden)
    #expect(await take(export.file) == 0)
    #expect(record.keyring.items[id]?[.guest] == nil)
  }

  @Test("The command add --import --json prints the accounts as a list")
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
