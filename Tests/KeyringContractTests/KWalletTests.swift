import Secrets
import AcctPorts
import AcctTestSupport
import SecretServiceKeyring
import Testing

/// What is particular to KWallet: it opens to programs one by one, by prompts that may ask nothing.
@Suite("The Secret Service keyring with KWallet", .timeLimit(.minutes(2)))
struct KWalletTests {
  let account = KeyringCall.account
  let token = Keyring.Item(.accessToken, Secret("made-up-token"))

  @Test(
    "KWallet is unlocked by a prompt, and by none if prompts are forbidden",
    arguments: [KeyringCall.read, .write, .remove, .prepare]
  )
  func unlockingPrompt(call: KeyringCall) async throws {
    let kWallet = try KWallet()
    defer { kWallet.stop() }
    let keyring = Keyring.secretService(busAddress: kWallet.busAddress, canPrompt: true)
    try await keyring.write(account, [token], .forbidden)
    try kWallet.lock()
    // As after a login: the wallet is open, and no program has asked for it by this service yet.
    try kWallet.open()
    let failure = await call.failure(on: keyring, .forbidden)
    #expect(failure.isLocked, "\(String(describing: failure))")
    try await call.make(on: keyring, .allowed)
    let state = await keyring.state()
    #expect(state == .ready)
  }

  @Test("KWallet lists items while locked, since its attributes stay readable")
  func listWhileLocked() async throws {
    let kWallet = try KWallet()
    defer { kWallet.stop() }
    let keyring = Keyring.secretService(busAddress: kWallet.busAddress, canPrompt: false)
    try await keyring.write(account, [token], .forbidden)
    try kWallet.lock()
    #expect(try await keyring.list() == [account: [.accessToken]])
    let read = try await keyring.read(account, [.refreshToken], .forbidden)
    #expect(read == [:])
  }
}
