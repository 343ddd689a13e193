import AcctTestSupport
import StrictJSON
import Testing

/// Everything that acct asks of the kernel, searched for secrets in every form.
///
/// Where a secret may be: in what goes to its own server, in the keyring's own traffic, and on the
/// standard output of a command whose purpose it is. Nowhere else: no argument, no environment, no
/// file, no message, no other address.
@Suite("Leaks")
struct LeakTests {
  /// Three stages at once: each mostly waits, for a browser, a device's code, its servers.
  @Test("no command shows a secret to anybody but whose it is")
  func everywhere() async throws {
    async let inVault: Void = vault()
    async let onBus: Void = secretService()
    async let inTrouble: Void = trouble()
    _ = try await (inVault, onBus, inTrouble)
  }

  /// Every command, with a vault.
  private func vault() async throws {
    let stage = try await LeakStage()
    for row in try await stage.adding() { try await stage.run(row) }
    let rows =
      try await stage.using() + stage.wrongAddresses() + stage.badFiles() + stage.removing()
      + stage.vault() + [stage.unwantedCallback()]
    try await stage.runProxy()
    for row in rows { try await stage.run(row) }
    try await stage.expectNoLeaks()
    try await stage.server.expectNothingWrong()
    #expect(try await stage.sessions.violations() == [])
    // The trace would be silent, too, if there was nothing to find.
    for kind in ["access_token", "refresh_token", "code", "code_verifier", "device_code", "key"] {
      #expect(stage.secrets.count(of: kind) > 0, "\(kind)")
    }

    let tested = Set(stage.runs.map(\.0.command))
    #expect(try await commands().subtracting(tested) == [], "a command that no row calls")
  }

  /// With a keyring on the bus, which alone is told.
  private func secretService() async throws {
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    let stage = try await LeakStage(in: keyring)
    for row in try await stage.adding() { try await stage.run(row) }
    for row in try await stage.using() + stage.removing() { try await stage.run(row) }
    try await stage.expectNoLeaks()
  }

  /// When servers fail or answer nonsense.
  private func trouble() async throws {
    let stage = try await LeakStage()
    try await stage.run(try await stage.adding()[0])
    for row in stage.badAnswers() { try await stage.run(row) }
    try await stage.expectNoLeaks()
  }

  /// Every command that the built acct has, as words behind its name.
  private func commands() async throws -> Set<String> {
    let dump = try await ChildProcess(
      Product.executable("acct"),
      ["--experimental-dump-help"]
    ).run()
    let root = try #require(try JSON(parsing: dump.standardOutput)["command"])
    return Set(leaves(of: root).map { $0.joined(separator: " ") })
  }

  private func leaves(of command: JSON) -> [[String]] {
    // `help` is ArgumentParser's own, and reads nothing.
    let below = (command["subcommands"]?.arrayValue ?? []).filter { $0["commandName"] != "help" }
    guard !below.isEmpty else { return [[]] }
    return below.flatMap { child in
      leaves(of: child).map { [child["commandName"]?.stringValue ?? ""] + $0 }
    }
  }
}
