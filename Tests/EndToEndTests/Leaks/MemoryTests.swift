import AcctTestSupport
import Testing

/// The rest of a secret in memory when the work with it is done, or has failed.
///
/// The whole memory that the process could write to is searched, between the end of its work and the
/// kernel's taking it away: heap, stacks and variables, of acct and of every library.
@Suite("Memory at exit")
struct MemoryTests {
  @Test("Memory at exit holds no secret that the command used")
  func everywhere() async throws {
    let rows = try await LeakPlay(subject: .memory).everything()
    try await expectEveryCommand(in: rows)
  }

  /// As in containers: one command opens the vault once, and keeps the key for itself meanwhile.
  @Test("Memory at exit holds no key of the vault if the kernel does not keep it")
  func withoutKeyStore() async throws {
    let watch = LeakWatch(.memory, of: try AcctHome(hasVault: false))
    watch.runner = [Sighting.python, "-B", Product.source("Tests/Leaks/without_key_store.py")]
    let file = Product.source("Examples/bob.json")
    for row in [
      LeakRow("add", ["--import", file]), LeakRow("token", []), LeakRow("vault unlock", []),
      LeakRow("header", ["https://elsewhere.example"], status: 8), LeakRow("exec", ["--", "/dev/null"], status: 126),
    ] { try await watch.run(row) }
    try await watch.expectNoLeaks()
    #expect(watch.secrets.count(of: "vault_key") == 1)
  }
}
