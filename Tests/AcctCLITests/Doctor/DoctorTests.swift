import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("acct doctor")
struct DoctorTests {
  let record = RecordedWorld()

  /// Runs it, and returns the status and the findings that are not ok, as `code` or `code!`, the
  /// latter where it was repaired.
  private func diagnose(_ options: String...) async -> (status: Int32, codes: [String]) {
    record.clear()
    let status = await record.run(["doctor", "--json", "--offline"] + options)
    let findings = record.json?.objectValue?["findings"]?.arrayValue ?? []
    let codes = findings.compactMap(\.objectValue).filter { $0["severity"] != "ok" }.map {
      ($0["code"]?.stringValue ?? "?") + ($0["repaired"] == true ? "!" : "")
    }
    return (status, codes)
  }

  /// Expects these findings, that a repair removes those with `!`, and that none is left then.
  private func expect(
    _ codes: [String],
    _ status: Int32 = 1,
    repaired: [String],
    left: Int32 = 0,
    _ location: SourceLocation = #_sourceLocation
  ) async {
    let first = await diagnose()
    #expect(first.codes == codes, sourceLocation: location)
    #expect(first.status == status, sourceLocation: location)
    let second = await diagnose("--repair")
    #expect(second.codes == repaired, sourceLocation: location)
    #expect(second.status == left, sourceLocation: location)
    let third = await diagnose()
    #expect(third.codes == repaired.filter { !$0.hasSuffix("!") }, sourceLocation: location)
    #expect(third.status == left, sourceLocation: location)
  }

  @Test("The doctor reports nothing on a sound home, before the first account and after")
  func healthy() async {
    await expect([], 0, repaired: [])
    #expect(await record.add(Handoffs.dpop()) == 0)
    await expect([], 0, repaired: [])
    #expect(await record.acct("doctor", "--offline") == 0)
    #expect(
      record.out == """
        ok        there are no files yet
        ok        the keyring (secret-service) is available and unlocked
        ok        accounts and the keyring agree
        ok        every account's file can be read (1)
        ok        nothing was left behind

        """
    )
  }

  @Test("The doctor tells a locked keyring (6) from a missing one (7) and prompts for nothing")
  func keyring() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    record.keyring.unlockWhenAsked()
    record.keyring.lock()
    await expect(["keyringLocked"], 6, repaired: ["keyringLocked"], left: 6)
    record.keyring.fail(with: .unavailable(reason: "none is running"))
    let codes = ["itemsUnknown", "keyringUnavailable"]
    await expect(codes, 7, repaired: codes, left: 7)
    #expect(await record.acct("doctor", "--offline") == 7)
    #expect(record.out.contains("none is running\n          fix: start a Secret Service provider"))
  }

  @Test("The doctor rebuilds an account from its keyring items alone")
  func orphans() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    let id = try #require(record.keyring.items.keys.first)
    #expect(await record.acct("header", "https://pds.example/xrpc/a") == 0)
    record.lose(.account(id))
    await expect(["orphanedItems", "activeGone"], repaired: ["orphanedItems!"])
    #expect(await record.acct("header", "https://pds.example/xrpc/a") == 0)
    #expect(await record.acct("status", "--json") == 0)
    let account = record.json?.objectValue?["account"]?.objectValue
    #expect(account?["name"] == "alice.example.com")
    #expect(account?["did"] == "did:plc:alice")
    #expect(account?["issuer"] == "https://auth.example")
    #expect(account?["tokenType"] == "DPoP")
    #expect(account?["thumbprint"] == .string(Handoffs.thumbprint))
    #expect(account?["expiresAt"] == "2027-01-15T09:00:00Z")
  }

  @Test("The doctor lists an account without a usable token as signed out, so that it can be removed")
  func orphansWithoutToken() async throws {
    let id = try AccountID("00000000-0000-4000-8000-000000000000")
    record.corrupt(.keyringDecision, with: "secret-service\n")
    try await record.keyring.keyring().write(
      id,
      [.init(.handle, Secret("alice.example.com")), .init(.refreshToken, Secret("r"))],
      .forbidden
    )
    await expect(["orphanedItems"], repaired: ["orphanedItems!", "signInRequired"], left: 1)
    #expect(await record.acct("status", "alice.example.com") == 4)
    #expect(await record.acct("remove", "--local", "alice.example.com") == 0)
    #expect(record.keyring.count == 0)
  }

  @Test("The doctor rebuilds sessions and guests with their own kind", arguments: ["session", "guest"])
  func otherOrphans(kind: String) async throws {
    let id = try AccountID("00000000-0000-4000-8000-000000000000")
    record.corrupt(.keyringDecision, with: "secret-service\n")
    let item: ItemKind = kind == "session" ? .session : .guest
    try await record.keyring.keyring().write(
      id,
      [.init(item, Secret("Fe26.2*x")), .init(.handle, Secret("alice.example.com"))],
      .forbidden
    )
    await expect(["orphanedItems"], repaired: ["orphanedItems!"])
    #expect(await record.acct("list", "--json") == 0)
    let account = record.json?.objectValue?["accounts"]?.arrayValue?.first?.objectValue
    #expect(account?["kind"] == .string(kind))
    #expect(account?["tokenType"] == .string(kind))
  }

  @Test("The doctor reports accounts whose items are missing and can't rebuild those")
  func missingItems() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    try await record.keyring.lose([.refreshToken])
    await expect(["missingItem"], 0, repaired: ["missingItem"])
    try await record.keyring.lose([.keypair])
    await expect(["missingItem"], 1, repaired: ["missingItem"], left: 1)
    try await record.keyring.lose()
    await expect(["missingItem"], 1, repaired: ["missingItem"], left: 1)
  }

  @Test("The doctor asks once which parts of the keyring are locked, names one, and calls no item in it missing")
  func lockedPart() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    try await record.keyring.lose()
    record.keyring.lockPart(named: "Login")
    await expect(["keyringPartLocked"], 0, repaired: ["keyringPartLocked"])
    #expect(record.keyring.partQuestions == 3)
    #expect(await record.acct("doctor", "--offline") == 0)
    #expect(
      record.out.contains(
        """
        warning   the collection Login of the keyring is locked, which has the items of alice.example.com
                  fix: `acct keyring unlock` on its desktop; if its password is lost: sign in again with \
        `acct login alice.example.com`

        """
      ),
      "\(record.out)"
    )
  }

  @Test("The doctor names an item that acct did not write and leaves it to a new sign-in")
  func damagedItem() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    record.keyring.put(.keypair, Secret("{}"))
    record.keyring.put(.accessToken, Secret("two words"))
    await expect(["damagedItem", "damagedItem"], repaired: ["damagedItem", "damagedItem"], left: 1)
    #expect(await record.acct("doctor", "--offline") == 1)
    #expect(
      record.out.contains(
        """
        problem   the DPoP key of alice.example.com in the keyring is not what acct writes
                  fix: sign in again with `acct login alice.example.com`

        """
      )
    )
    #expect(await record.add(Handoffs.dpop()) == 0)
    await expect([], 0, repaired: [])
  }

  @Test("The doctor leaves a damaged file unchanged for its owner to repair")
  func damaged() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    let id = try #require(record.keyring.items.keys.first)
    record.corrupt(.account(id), with: "{")
    await expect(["damagedAccount"], repaired: ["damagedAccount"], left: 1)
    #expect(record.file(.account(id)) == "{")
  }

  @Test("The doctor clears an active account that does not exist")
  func active() async throws {
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.corrupt(.active, with: "00000000-0000-4000-8000-000000000000\n\n")
    await expect(["activeGone"], repaired: ["activeGone!"])
  }

  @Test("The doctor reports a renewal that was interrupted long ago, and not one in progress")
  func interrupted() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    let id = try #require(record.keyring.items.keys.first)
    let file = try #require(record.file(.account(id)))
    let noted = file.replacing(
      #""renewalStartedAt":null"#,
      with: #""renewalStartedAt":"2027-01-15T08:00:00Z""#
    )
    record.corrupt(.account(id), with: noted)
    await expect([], 0, repaired: [])
    record.now += 700
    await expect(["interruptedRenewal"], 0, repaired: ["interruptedRenewal"])
  }

  @Test("The doctor finds the keyring again if its recorded choice is missing or damaged", arguments: ["", "x"])
  func decision(text: String) async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    if text.isEmpty {
      record.lose(.keyringDecision)
    } else {
      record.corrupt(.keyringDecision, with: text)
    }
    await expect(["keyringDecision"], repaired: ["keyringDecision!"])
    #expect(record.file(.keyringDecision) == "secret-service\n")
  }

  @Test("The doctor reports a variable that hides the accounts, and one that names no keyring")
  func variable() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    record.corrupt(.keyringDecision, with: "vault\n")
    record.set("ACCT_KEYRING", to: "secret-service")
    await expect(["keyringOverridden"], 0, repaired: ["keyringOverridden"])
    record.set("ACCT_KEYRING", to: "pocket")
    await expect(["keyringUnknown"], repaired: ["keyringUnknown"], left: 1)
  }

  private func file(
    _ path: String,
    _ role: SurveyedFile.Role = .other,
    _ kind: SurveyedFile.Kind = .regular,
    mode: UInt32 = 0o600,
    isOwn: Bool = true,
    age: Int64 = 0
  ) -> SurveyedFile {
    SurveyedFile(
      path: path,
      role: role,
      kind: kind,
      mode: mode,
      isOwn: isOwn,
      modifiedAt: Timestamp(clamped: record.now - age)
    )
  }

  @Test("The doctor closes files that others can read, and leaves those that others can write")
  func modes() async {
    record.maintenance.surveyed = [
      file("/a", .other, .folder, mode: 0o755), file("/a/1", mode: 0o644), file("/a/2", mode: 0o660),
      file("/a/3", .other, .link, mode: 0o777), file("/a/4", isOwn: false),
    ]
    await expect(
      ["readable", "link", "foreign", "writable"],
      repaired: ["readable!", "link", "foreign", "writable"],
      left: 1
    )
  }

  @Test("The doctor has one line for all files and folders that others can change")
  func manyWritable() async {
    record.maintenance.surveyed = [
      file("/d/acct", .other, .folder, mode: 0o775), file("/d/acct/accounts", .other, .folder, mode: 0o775),
      file("/d/acct/accounts/1", mode: 0o664), file("/s/acct", .other, .folder, mode: 0o700),
      file("/s/acct/it's", mode: 0o666),
    ]
    #expect(await record.acct("doctor", "--offline") == 1)
    #expect(
      record.out.contains(
        """
        problem   4 files and folders can be changed by others, such as /s/acct/it's
                  fix: check their contents, then `chmod -R go= /d/acct /s/acct`

        """
      ),
      "\(record.out)"
    )
  }

  @Test("The doctor has one line for all files that their owner may not read")
  func manyUnreadable() async {
    record.maintenance.surveyed = [
      file("/d/acct", .other, .folder, mode: 0o700), file("/d/acct/1", mode: 0), file("/d/acct/2", mode: 0o200),
    ]
    #expect(await record.acct("doctor", "--offline") == 1)
    #expect(
      record.out.contains(
        """
        problem   2 files and folders can't be read by you, such as /d/acct/2
                  fix: `chmod -R u+rwX /d/acct`

        """
      ),
      "\(record.out)"
    )
  }

  @Test("The doctor tells of folders in which nothing can be written, and of a disk once")
  func obstacles() async {
    record.maintenance.surveyed = [
      file("/a", .other, .folder, mode: 0o700), file("/a/b", .other, .folder, mode: 0o700),
      file("/a/c", .other, .folder, mode: 0o500), file("/d", .other, .folder, mode: 0o700),
    ]
    record.maintenance.obstacles = ["/a": .readOnly, "/a/b": .readOnly, "/d": .full]
    await expect(
      ["unwritable", "unwritable", "diskFull"],
      repaired: ["unwritable", "unwritable", "diskFull"],
      left: 1
    )
    #expect(await record.acct("doctor", "--offline") == 1)
    #expect(record.out.contains("/a is on a file system that is read-only: nothing can be stored or renewed\n"))
    #expect(record.out.contains("fix: `chmod u=rwx /a/c`\n"))
    #expect(record.out.contains("/d is on a disk that is full"))
  }

  @Test("The doctor deletes old files of killed processes, and none that may be in use")
  func leftovers() async {
    record.maintenance.surveyed = [
      file("/a/.tmp-1", .temporary, age: 61), file("/a/.tmp-2", .temporary, age: 59),
      file("/a/book", .lock(.book), age: 601), file("/a/hint", .hint, age: 601), file("/a/fresh", .hint, age: 599),
      file("/a/.tmp-3", .temporary, .folder, mode: 0o700, age: 99),
    ]
    let (status, codes) = await diagnose()
    #expect(status == 0)
    #expect(codes == ["temporaryFiles", "locks"])
    #expect(await diagnose("--repair").codes == ["temporaryFiles!", "locks!"])
    #expect(
      record.maintenance.surveyed.map(\.path) == ["/a/.tmp-2", "/a/book", "/a/fresh", "/a/.tmp-3"]
    )
  }

  @Test("The doctor deletes what killed processes have left in memory, without --repair, too, and says so once")
  func memory() async {
    record.maintenance.left = 2
    #expect(await record.acct("doctor") == 0)
    #expect(record.out.contains("repaired  2 folders with secrets of processes that were killed\n"), "\(record.out)")
    #expect(record.maintenance.left == 0)
    #expect(await diagnose().codes == [])
  }

  @Test("The doctor compares the clock with those of the accounts' servers without a credential")
  func clock() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    record.serve { request throws(HTTPFailure) in
      guard request.url.origin.host == "pds.example" else { throw .timedOut }
      return HTTPResponse(status: 404, fields: [("Date", "Fri, 15 Jan 2027 08:02:00 GMT")], body: Secret(""))
    }
    #expect(await record.acct("doctor") == 1)
    #expect(
      record.out.contains("problem   the clock is 2 min behind that of https://pds.example\n")
    )
    #expect(record.out.contains("warning   https://auth.example does not report its time"))
    #expect(record.requests.allSatisfy { $0.fields.isEmpty && $0.method == "HEAD" })
    // Some servers accept a proof for seconds.
    record.now += 110
    #expect(await record.acct("doctor") == 1)
    #expect(record.out.contains("problem   the clock is 10 s behind that of https://pds.example\n"))
    record.now += 1
    #expect(await record.acct("doctor") == 0)
    let asked = record.requests.count
    #expect(await record.acct("doctor", "--offline") == 0)
    #expect(record.requests.count == asked)
  }
}

extension RecordedWorld {
  /// Loses a file, as when another process deleted it.
  fileprivate func lose(_ file: StoredFile) {
    do { try world().files.remove(file) } catch { Issue.record("\(error)") }
  }
}
