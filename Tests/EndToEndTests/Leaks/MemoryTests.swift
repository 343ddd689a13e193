import AcctTestSupport
import Testing

/// What is left of a secret when the work with it is done.
///
/// The whole memory that the process could write to is searched, between the end of its work and the
/// kernel's taking it away: heap, stacks and variables, of acct and of every library.
@Suite("Memory when all is done")
struct MemoryTests {
  @Test("holds no secret that the command has worked with", arguments: [false, true])
  func leftovers(onBus: Bool) async throws {
    let keyring = onBus ? try GnomeKeyring() : nil
    defer { keyring?.stop() }
    let stage = try await LeakStage(in: keyring)
    for row in try await stage.adding() { try await expectNothing(of: row, on: stage) }
    // One for each way that secrets take; what exec hands over is another program's by then.
    let commands: Set = [
      "header", "token", "refresh", "key show", "key import", "export", "add", "request",
    ]
    for row in try await stage.using() where commands.contains(row.command) {
      // What it says makes no difference here.
      guard row.arguments.last == "-v" else { continue }
      try await expectNothing(of: row, on: stage)
    }
    let idle = try await stage.proxyLeftovers()
    #expect(idle.isEmpty, "a proxy that waits for the next request")
    for row in stage.removing() { try await expectNothing(of: row, on: stage) }
  }

  private func expectNothing(of row: LeakRow, on stage: LeakStage) async throws {
    let found = try await stage.leftovers(of: row)
    #expect(found.isEmpty, "\(row)")
  }
}
