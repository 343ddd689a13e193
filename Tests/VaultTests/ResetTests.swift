import AcctModel
import AcctPorts
import PrivateFiles
import Secrets
import Testing
import Vault

@Suite("A vault whose passphrase is lost")
struct ResetTests {
  let bench: Workbench
  let account: AccountID
  let item = Keyring.Item(.accessToken, Secret("a"))

  init() async throws {
    bench = try Workbench()
    account = try Accounts.first()
    try await bench.store(passphrase: "a passphrase").keyring.write(account, [item], .forbidden)
  }

  @Test("A reset needs no passphrase, leaves nothing of the vault, and forgets its key")
  func reset() async throws {
    let kernel = ObligingKernel()
    _ = try await bench.store(passphrase: "a passphrase", kernel: kernel.key).vault.unlock(.forbidden)
    #expect(!kernel.isEmpty)
    let lost = bench.store(typist: Typist(), kernel: kernel.key)
    try await lost.vault.reset()
    #expect(kernel.isEmpty)
    #expect(try bench.folder.names().filter { $0 != ".lock" } == [])
    #expect(try await lost.keyring.list().isEmpty)
    await #expect(throws: KeyringFailure.noVault(folder: bench.folder.path)) { try await lost.vault.reset() }
    // The next one has another passphrase.
    let next = try bench.store(passphrase: "another one").keyring
    try await next.write(account, [item], .forbidden)
    #expect(try await next.read(account, [.accessToken], .forbidden) == [.accessToken: item.secret])
  }

  @Test("A reset goes on where one was interrupted, and takes a vault whose header is damaged or gone")
  func damaged() async throws {
    try bench.put(Array("{".utf8), "header")
    try await bench.store(typist: Typist()).vault.reset()
    #expect(try bench.folder.names().filter { $0 != ".lock" } == [])
    try bench.put([1], item.kind.key(for: account))
    try await bench.store(typist: Typist()).vault.reset()
    #expect(try bench.folder.names().filter { $0 != ".lock" } == [])
  }
}
