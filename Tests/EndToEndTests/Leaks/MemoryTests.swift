import AcctTestSupport
import Testing

/// What is left of a secret when the work with it is done.
///
/// The whole memory that the process could write to is searched, between the end of its work and the
/// kernel's taking it away.
@Suite("Memory when all is done")
struct MemoryTests {
  @Test("holds no secret that the command has worked with", arguments: [false, true])
  func leftovers(onBus: Bool) async throws {
    let keyring = onBus ? try GnomeKeyring() : nil
    defer { keyring?.stop() }
    let stage = try await LeakStage(in: keyring)
    for row in try await stage.adding() + stage.using() + stage.removing() {
      // What exec hands over is another program's memory by then.
      guard row.command != "exec" else { continue }
      let found = try await stage.leftovers(of: row)
      #expect(found.isEmpty, "\(row)")
    }
  }
}
