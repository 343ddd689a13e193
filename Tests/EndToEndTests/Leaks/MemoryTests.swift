import AcctTestSupport
import Testing

/// What is left of a secret when the work with it is done.
///
/// The whole memory that the process could write to is searched, between the end of its work and the
/// kernel's taking it away: heap, stacks and variables, of acct and of every library.
@Suite("Memory when all is done")
struct MemoryTests {
  @Test("holds no secret that the command has worked with")
  func everywhere() async throws {
    async let inVault: Void = leftovers(in: nil)
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    async let onBus: Void = leftovers(in: keyring)
    _ = try await (inVault, onBus)
  }

  private func leftovers(in keyring: GnomeKeyring?) async throws {
    let stage = try await LeakStage(in: keyring)
    for row in try await stage.adding() { try await stage.remember(row) }
    // One for each way that secrets take; what exec hands over is another program's by then.
    let commands: Set = [
      "header", "token", "refresh", "key show", "key import", "export", "add", "request",
    ]
    for row in try await stage.using() where commands.contains(row.command) {
      // What it says makes no difference here.
      guard row.arguments.last == "-v" else { continue }
      try await stage.remember(row)
    }
    try await stage.rememberProxy()
    for row in stage.removing() { try await stage.remember(row) }
    if keyring == nil { for row in stage.vault() { try await stage.remember(row) } }
    try await stage.expectNothingLeft()
  }
}
