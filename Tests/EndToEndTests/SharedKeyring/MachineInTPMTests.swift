import AcctModel
import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// Machines whose key for a shared keyring is in a software TPM, on real engines.
@Suite("A machine's key for a shared keyring in a TPM")
struct MachineInTPMTests {
  /// Joins by a code that the fleet's first machine approves.
  private func join(_ newcomer: Newcomer, _ fleet: Fleet) async throws {
    let approved = try await fleet.homes[0].acct("keyring", "approve", newcomer.code)
    try #require(approved.status == 0, "\(approved.errorText)")
    try await newcomer.joined()
  }

  private func token(_ home: AcctHome) async throws -> ChildProcess.Output {
    try await home.acct("token", "-a", "user-1", "--no-input")
  }

  /// The same, with the keyring's key in the kernel no more.
  private func tokenByTPM(_ home: AcctHome) async throws -> ChildProcess.Output {
    let locked = try await home.acct("keyring", "lock")
    try #require(locked.status == 0, "\(locked.errorText)")
    return try await token(home)
  }

  @Test(
    "A machine that joins with a key in its TPM reads and renews without a key in its home, until it is removed",
    arguments: EngineKind.allCases
  )
  func life(_ kind: EngineKind) async throws {
    let (fleet, tpm) = (try await Fleet(on: kind, machines: 1), try await SoftwareTPM(at: .socket))
    try await fleet.importExpired()
    let options = ["--machine-key", "tpm:\(tpm.address.description)"]
    let newcomer = try await Newcomer(to: fleet.engine.place + ["--name", fleet.name], options)
    try await join(newcomer, fleet)
    let home = newcomer.home
    let first = try await token(home)
    #expect(first.status == 0, "\(first.errorText)")
    let renewed = try await home.acct("refresh", "--force", "user-1", "--no-input")
    #expect(renewed.status == 0, "\(renewed.errorText)")
    try await fleet.expect(refreshes: 2)

    let listed = try await fleet.homes[0].acct("keyring", "machines", "--json")
    let machines = try JSON(parsing: listed.standardOutput).objectValue?["machines"]?.arrayValue ?? []
    let found = machines.first { $0.objectValue?["recipient"] == "machine" }?.objectValue
    let member = try #require(found)
    #expect(member["key"] == "tpm")
    let others = machines.filter { $0.objectValue?["recipient"] != "machine" }
    #expect(others.allSatisfy { $0.objectValue?["key"] == .null })
    #expect(try await fleet.homes[0].acct("keyring", "machines").text.contains("its TPM"))

    try await expectNoKey(in: home, fleet)

    let name = try #require(member["name"]?.stringValue)
    let removed = try await fleet.homes[0].acct("keyring", "remove", name, "--renew", "--no-input")
    #expect(removed.status == 0, "\(removed.errorText)")
    for words in [["refresh", "--force", "user-1"], ["keyring", "machines"], ["keyring", "status"]] {
      let refused = try await home.command(words + ["--no-input"]).run()
      #expect(refused.status == 6, "\(words): \(refused.errorText)")
      // `status` says it on standard output.
      let said = refused.text + refused.errorText
      #expect(said.contains("removed from the shared keyring by"), "\(words): \(said)")
    }
    try await fleet.expect(refreshes: 3)
  }

  /// The home has no vault, in which a key would be, and what it has of the key and of the accounts is ciphertext.
  private func expectNoKey(in home: AcctHome, _ fleet: Fleet) async throws {
    let vaults = try await ChildProcess("find", [home.path, "-path", "*vault*"]).run()
    #expect(vaults.text == "")
    let members = try await note(of: home)
    #expect(members.map { name, _ in name }.sorted() == ["format", "id", "tpm", "tss2"])
    let secrets = try await fleet.server.secrets()
    #expect(secrets.count(of: "refresh_token") >= 2)
    let dump = try fleet.folder.file("dump", containing: try await fleet.engine.dump())
    #expect(try await secrets.places(in: [home.path, dump]) == "")
    // The engine has no blob either.
    let blob = try #require(members["tss2"]?.stringValue)
    #expect(blob.utf8.count > 400)
    #expect(try await ChildProcess("grep", ["-qaF", String(blob.prefix(64)), dump]).run().status == 1)
  }

  /// The only file that tells what the machine's key is.
  private func note(of home: AcctHome) async throws -> JSONObject {
    let found = try await ChildProcess("find", [home.path, "-name", "machine*"]).run()
    let files = found.text.split(separator: "\n").map(String.init)
    #expect(files.count == 1, "\(files)")
    return try JSON(parsing: try await ChildProcess("cat", files).run().standardOutput).objectValue ?? [:]
  }

  @Test("A TPM that is away or was cleared is named with what to do, and leaving needs neither")
  func cleared() async throws {
    let (fleet, tpm) = (try await Fleet(on: .etcd, machines: 1), try await SoftwareTPM())
    try await fleet.importExpired()
    let place = fleet.engine.place + ["--name", fleet.name]
    let options = ["--machine-key", "tpm:\(tpm.address.description)"]
    let newcomer = try await Newcomer(to: place, options)
    try await join(newcomer, fleet)
    let home = newcomer.home
    #expect(try await tokenByTPM(home).status == 0)
    await tpm.stop()
    let away = try await tokenByTPM(home)
    #expect(away.status == 7)
    #expect(away.errorText.contains("which has this machine's key for the shared keyring, can't be reached"))
    try await tpm.start()
    #expect(try await tokenByTPM(home).status == 0)
    try await tpm.clear()
    _ = try await home.acct("keyring", "lock")
    for words in [["token", "-a", "user-1"], ["keyring", "status"], ["refresh", "--force", "user-1"]] {
      let lost = try await home.command(words + ["--no-input"]).run()
      #expect(lost.status == 6, "\(words): \(lost.errorText)")
      let said = lost.text + lost.errorText
      for expected in ["this machine's key for the shared keyring is lost", "`acct keyring join` with --code"] {
        #expect(said.contains(expected), "\(words): \(said)")
      }
    }
    try await join(try await Newcomer(again: newcomer, to: place, options), fleet)
    #expect(try await tokenByTPM(home).status == 0)
    let left = try await home.acct("keyring", "leave")
    #expect(left.status == 0, "\(left.errorText)")
    #expect(try await note(of: home).map { name, _ in name }.sorted() == ["format", "id"])
  }

  @Test("A machine's disk in another machine opens nothing")
  func stolenDisk() async throws {
    let (fleet, own, other) = (
      try await Fleet(on: .etcd, machines: 1), try await SoftwareTPM(at: .socket), try await SoftwareTPM(at: .socket)
    )
    try await fleet.importExpired()
    // Where a machine's TPM is, whichever that is.
    let link = "\(fleet.folder.path)/tpm"
    func install(_ tpm: SoftwareTPM) throws {
      unsafe unlink(link)
      try #require(unsafe symlink(tpm.address.description, link) == 0)
    }
    try install(own)
    let place = fleet.engine.place + ["--name", fleet.name]
    let newcomer = try await Newcomer(to: place, ["--machine-key", "tpm:\(link)"])
    try await join(newcomer, fleet)
    #expect(try await tokenByTPM(newcomer.home).status == 0)
    try install(other)
    let stolen = try await tokenByTPM(newcomer.home)
    #expect(stolen.status == 6, "\(stolen.errorText)")
    #expect(stolen.text == "")
    try install(own)
    #expect(try await token(newcomer.home).status == 0)
  }

  @Test("A place that is none, and a TPM that is not there are refused before a code is shown")
  func refused() async throws {
    let fleet = try await Fleet(on: .etcd, machines: 1)
    let home = try AcctHome(sharingUnder: "")
    let place = fleet.engine.place + ["--name", fleet.name, "--no-input"]
    let cases: [([String], Int32, String)] = [
      (["--code", "--machine-key", "moon"], 64, "--machine-key is software, tpm or tpm:SPEC"),
      (["--code", "--machine-key", "tpm:nowhere"], 64, ""),
      (["--machine-key", "moon"], 64, "--machine-key is software, tpm or tpm:SPEC"),
      (["--code", "--machine-key", "tpm:\(fleet.folder.path)/none"], 7, "can't be reached"),
    ]
    for (options, status, words) in cases {
      let refused = try await home.command(["keyring", "join"] + place + options).run()
      #expect(refused.status == status, "\(options): \(refused.errorText)")
      #expect(refused.errorText.contains(words), "\(options): \(refused.errorText)")
      #expect(!refused.errorText.contains("keyring approve"), "\(options): \(refused.errorText)")
    }
  }
}
