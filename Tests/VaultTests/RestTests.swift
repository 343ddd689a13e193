import AcctModel
import Secrets
import AcctPorts
import Glibc
import PrivateFiles
import Testing
import Vault

@Suite("A vault's key in the kernel")
struct RestTests {
  let bench: Workbench
  let account: AccountID
  let item = Keyring.Item(.accessToken, Secret("a"))

  init() async throws {
    bench = try Workbench()
    account = try Accounts.first()
    try await bench.store(passphrase: "a passphrase").keyring.write(account, [item], .forbidden)
  }

  private func read(_ store: VaultStore) async throws -> Secret? {
    try await store.keyring.read(account, [.accessToken], .forbidden)[.accessToken]
  }

  @Test("A stored key opens the vault for other processes until it is forgotten")
  func rests() async throws {
    let kernel = ObligingKernel()
    let unlocker = bench.store(typist: Typist("a passphrase"), kernel: kernel.key)
    #expect(try await unlocker.vault.unlock(.allowed) == 900)
    let silent = bench.store(typist: Typist(), kernel: kernel.key)
    #expect(await silent.keyring.state() == .ready)
    #expect(kernel.timesExtended == 0)
    #expect(try await read(silent) == item.secret)
    #expect(kernel.timesExtended == 1)
    #expect(try await silent.vault.unlock(.forbidden) == 900)

    try await silent.vault.lock()
    #expect(kernel.isEmpty)
    for store in [silent, unlocker] {
      #expect(await store.keyring.state() == .locked)
      await #expect(throws: KeyringFailure.self) { try await read(store) }
    }
    try await silent.vault.lock()
  }

  @Test("A mark of a vault's changes is the same until it is locked, and never comes again")
  func marks() async throws {
    let kernel = ObligingKernel()
    let store = try bench.store(passphrase: "a passphrase", kernel: kernel.key)
    #expect(store.keyring.changes() == nil)
    var earlier: [ChangeMark] = []
    for _ in 1...3 {
      #expect(try await read(store) == item.secret)
      let mark = try #require(store.keyring.changes())
      #expect(!earlier.contains(mark))
      earlier.append(mark)
      #expect(try await read(store) == item.secret)
      #expect(store.keyring.changes() == mark)
      try await bench.store(typist: Typist(), kernel: kernel.key).vault.lock()
      #expect(store.keyring.changes() == nil)
    }
    let unkept = try bench.store(passphrase: "a passphrase")
    #expect(try await read(unkept) == item.secret)
    #expect(unkept.keyring.changes() == nil)
  }

  @Test("Locking forgets the keys of the user's shared keyrings and other vaults, too")
  func locksAll() async throws {
    let kernel = ObligingKernel()
    let store = bench.store(typist: Typist("a passphrase"), kernel: kernel.key)
    _ = try await store.vault.unlock(.allowed)
    #expect(kernel.key.keep("acct:vault:another", Secret("made up"), 900) == nil)
    try await store.vault.lock()
    #expect(kernel.isEmpty)
  }

  @Test("A stored key does not admit a wrong passphrase")
  func wrongPassphrase() async throws {
    let kernel = ObligingKernel()
    _ = try await bench.store(typist: Typist("a passphrase"), kernel: kernel.key).vault.unlock(.allowed)
    let right = try bench.store(passphrase: "a passphrase", kernel: kernel.key)
    #expect(try await read(right) == item.secret)
    // By the passphrase alone, one of so many could be let in; that all are is as good as ruled out.
    var letIn = 0
    for attempt in 0..<8 {
      let wrong = try bench.store(passphrase: "wrong\(attempt)", kernel: kernel.key)
      do {
        _ = try await read(wrong)
        letIn += 1
      } catch {}
    }
    #expect(letIn <= 1)
  }

  @Test(
    "A stored key is forgotten even if the header that names it is missing or damaged",
    arguments: [nil, "damaged"]
  )
  func lockWithoutHeader(contents: String?) async throws {
    let kernel = ObligingKernel()
    let store = try bench.store(passphrase: "a passphrase", kernel: kernel.key)
    _ = try await store.vault.unlock(.forbidden)
    #expect(!kernel.isEmpty)
    let header = try bench.contents("header")
    if let contents {
      try bench.put(Array(contents.utf8), "header")
    } else {
      try bench.folder.remove("header")
    }
    try await store.vault.lock()
    #expect(kernel.isEmpty)
    try bench.put(header, "header")
    #expect(await bench.store(typist: Typist(), kernel: kernel.key).keyring.state() == .locked)
  }

  @Test("A stored key that the kernel does not forget is reported without a header too")
  func notForgottenWithoutHeader() async throws {
    var kernel = ObligingKernel().key
    kernel.forgetAll = { _ in false }
    let store = try bench.store(passphrase: "a passphrase", kernel: kernel)
    try bench.folder.remove("header")
    await #expect(throws: KeyringFailure.self) { try await store.vault.lock() }
  }

  @Test("A question for the vault's state does not store its key")
  func stateKeepsNothing() async throws {
    let kernel = ObligingKernel()
    #expect(
      await (try bench.store(passphrase: "a passphrase", kernel: kernel.key)).keyring.state() == .ready
    )
    #expect(kernel.isEmpty)
  }

  @Test("A stored key follows a change of the passphrase")
  func change() async throws {
    let kernel = ObligingKernel()
    let store = try bench.store(passphrase: "a passphrase", kernel: kernel.key)
    try await store.vault.changePassphrase(try bench.passphraseFile("the new one"), .forbidden)
    #expect(try await read(bench.store(typist: Typist(), kernel: kernel.key)) == item.secret)
    #expect(try await read(bench.store(passphrase: "the new one", kernel: kernel.key)) == item.secret)
    await #expect(throws: KeyringFailure.self) { try await read(store) }
  }

  @Test("A key that the kernel rejects stays in the process, so that one command asks once")
  func kernelRefuses() async throws {
    let typist = Typist("a passphrase")
    let store = bench.store(typist: typist, kernel: .refusing)
    try await store.keyring.prepare(.allowed)
    try await store.keyring.write(account, [item], .allowed)
    #expect(try await read(store) == item.secret)
    #expect(typist.asked == 1)

    let otherProcess = bench.store(typist: Typist(), kernel: .refusing)
    await #expect(throws: KeyringFailure.self) { try await read(otherProcess) }
    try await store.vault.lock()
    await #expect(throws: KeyringFailure.self) { try await read(store) }
  }

  @Test(
    "A vault is not unlocked where the kernel does not keep the key that a person's passphrase opens",
    arguments: [(EPERM, "operation not permitted"), (EDQUOT, "its quota of keys for this user is used up")]
  )
  func notUnlocked(error: Int32, words: String) async throws {
    var kernel = KernelKey.refusing
    kernel.keep = { _, _, _ in .system(error) }
    try await bench.store(passphrase: "a passphrase").keyring.prepare(.forbidden)
    let locked = KeyringFailure.locked(
      reason: "the passphrase is right, and the kernel does not keep the key: \(words)",
      openedBy: .fileForEach
    )
    await #expect(throws: locked) {
      try await bench.store(typist: Typist("a passphrase"), kernel: kernel).vault.unlock(.allowed)
    }
    // A file opens it for each command.
    #expect(try await bench.store(passphrase: "a passphrase", kernel: kernel).vault.unlock(.forbidden) == nil)
  }

  @Test("A stored value that is not a key is ignored")
  func foreignPayload() async throws {
    var kernel = KernelKey.refusing
    kernel.read = { _ in Secret("not a key of ours") }
    await #expect(throws: KeyringFailure.self) { try await read(bench.store(typist: Typist(), kernel: kernel)) }
    #expect(try await read(bench.store(passphrase: "a passphrase", kernel: kernel)) == item.secret)
  }

  @Test("A stored key that the kernel does not forget is reported")
  func notForgotten() async throws {
    var kernel = ObligingKernel().key
    kernel.forget = { _ in false }
    let store = try bench.store(passphrase: "a passphrase", kernel: kernel)
    await #expect(throws: KeyringFailure.self) { try await store.vault.lock() }
  }

  @Test("A key of another vault that the kernel does not forget is no failure to lock this one")
  func otherNotForgotten() async throws {
    let obliging = ObligingKernel()
    var kernel = obliging.key
    kernel.forgetAll = { _ in false }
    let store = try bench.store(passphrase: "a passphrase", kernel: kernel)
    _ = try await store.vault.unlock(.forbidden)
    #expect(!obliging.isEmpty)
    try await store.vault.lock()
    #expect(obliging.isEmpty)
  }

  /// A sandbox may forbid the real key store; then it must say so, and leave nothing behind.
  @Test("A key in the real kernel can be read, changed and forgotten, or is rejected at once")
  func realKernel() throws {
    let name = "acct:test:\(UInt64.random(in: .min ... .max))"
    let kernel = KernelKey.live
    #expect(kernel.read(name) == nil)
    #expect(!kernel.extend(name, 60))
    let kept = kernel.keep(name, Secret("one"), 60) == nil
    #expect(kernel.read(name) == (kept ? Secret("one") : nil))
    #expect((kernel.keep(name, Secret("two, longer"), 60) == nil) == kept)
    #expect(kernel.read(name) == (kept ? Secret("two, longer") : nil))
    #expect(kernel.extend(name, 60) == kept)
    #expect(kernel.forget(name))
    #expect(kernel.read(name) == nil)
    #expect(kernel.forget(name))

    for suffix in ["1", "2"] { _ = kernel.keep("\(name):\(suffix)", Secret("one"), 60) }
    _ = kernel.keep("other:\(name)", Secret("one"), 60)
    #expect(kernel.forgetAll("\(name):"))
    #expect(kernel.read("\(name):1") == nil)
    #expect(kernel.read("\(name):2") == nil)
    #expect(kernel.read("other:\(name)") == (kept ? Secret("one") : nil))
    #expect(kernel.forget("other:\(name)"))
  }

  @Test("A key in the real kernel, if allowed, opens the vault for other processes")
  func realVault() async throws {
    let unlocker = bench.store(typist: Typist("a passphrase"), kernel: .live)
    let seconds = try await unlocker.vault.unlock(.allowed)
    let silent = bench.store(typist: Typist(), kernel: .live)
    #expect(await silent.keyring.state() == (seconds == nil ? .locked : .ready))
    try await unlocker.vault.lock()
    #expect(await silent.keyring.state() == .locked)
  }
}
