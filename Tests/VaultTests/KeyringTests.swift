import AcctModel
import Secrets
import AcctPorts
import PrivateFiles
import Testing
import Vault

@Suite("The vault as a keyring")
struct KeyringTests {
  let bench: Workbench
  let account: AccountID
  let other: AccountID

  init() throws {
    bench = try Workbench()
    account = try Accounts.first()
    other = try Accounts.second()
  }

  @Test("A vault that does not exist is ready and empty, and reading it creates nothing")
  func missing() async throws {
    let keyring = bench.store(typist: Typist()).keyring
    #expect(try await keyring.read(account, ItemKind.allCases, .allowed) == [:])
    #expect(try await keyring.list() == [:])
    try await keyring.remove(account, ItemKind.allCases, .allowed)
    #expect(await keyring.state() == .ready)
    #expect(bench.mode(of: bench.folder.path) == nil)
  }

  @Test("A vault returns to another process what was written last, and forgets what is removed")
  func roundTrip() async throws {
    let writer = try bench.store(passphrase: "the first one").keyring
    let reader = try bench.store(passphrase: "the first one").keyring
    try await writer.write(account, [.init(.refreshToken, Secret("r")), .init(.accessToken, Secret("a"))], .forbidden)
    try await writer.write(account, [.init(.accessToken, Secret("b"))], .forbidden)
    try await writer.write(other, [.init(.accessToken, Secret(""))], .forbidden)
    #expect(
      try await reader.read(account, ItemKind.allCases, .forbidden)
        == [.refreshToken: Secret("r"), .accessToken: Secret("b")]
    )
    #expect(try await reader.read(account, [.guest], .forbidden) == [:])
    #expect(
      try await reader.list() == [account: [.refreshToken, .accessToken], other: [.accessToken]]
    )
    try await reader.remove(account, [.accessToken, .session], .forbidden)
    #expect(try await writer.list() == [account: [.refreshToken], other: [.accessToken]])
    #expect(try await writer.read(other, [.accessToken], .forbidden) == [.accessToken: Secret("")])
  }

  @Test("A vault is a folder of 0700 with files of 0600 that hold no secret in the clear")
  func files() async throws {
    let keyring = try bench.store(passphrase: "the first one").keyring
    let secret = "a-made-up-token-that-is-easy-to-find"
    try await keyring.write(account, [.init(.accessToken, Secret(secret))], .forbidden)
    let name = ItemKind.accessToken.key(for: account)
    #expect(Set(try bench.folder.names()) == ["header", name])
    #expect(bench.mode(of: bench.folder.path) == 0o700)
    for name in ["header", name] {
      #expect(bench.mode(of: bench.folder.path(of: name)) == 0o600)
      let contents = String(decoding: try bench.contents(name), as: UTF8.self)
      #expect(!contents.contains(secret.prefix(8)))
    }
  }

  @Test("A vault never writes the same secret in the same way")
  func nonces() async throws {
    let keyring = try bench.store(passphrase: "the first one").keyring
    let name = ItemKind.accessToken.key(for: account)
    var seen: Set<[UInt8]> = []
    for _ in 0..<4 {
      try await keyring.write(account, [.init(.accessToken, Secret("same"))], .forbidden)
      // Behind the name of the format and its version.
      seen.insert(Array(try bench.contents(name)[10..<22]))
    }
    #expect(seen.count == 4)
  }

  @Test("A vault is locked to a wrong passphrase, which changes nothing")
  func wrongPassphrase() async throws {
    let right = try bench.store(passphrase: "the right one").keyring
    try await right.write(account, [.init(.accessToken, Secret("a"))], .forbidden)
    let wrong = try bench.store(passphrase: "wrong").keyring
    let locked = KeyringFailure.locked(
      reason: "the passphrase in \(bench.outside.path(of: "pass-wrong")) is wrong",
      openedBy: .otherPassphrase(file: bench.outside.path(of: "pass-wrong"))
    )
    await #expect(throws: locked) { try await wrong.read(account, [.accessToken], .allowed) }
    await #expect(throws: locked) { try await wrong.remove(account, [.accessToken], .allowed) }
    await #expect(throws: locked) { try await wrong.prepare(.allowed) }
    await #expect(throws: locked) { try await wrong.write(account, [.init(.accessToken, Secret("b"))], .allowed) }
    #expect(await wrong.state() == .locked)
    #expect(
      try await right.read(account, [.accessToken], .forbidden) == [.accessToken: Secret("a")]
    )
  }

  @Test("A vault lists its accounts while locked, and no other file")
  func listWhileLocked() async throws {
    let keyring = try bench.store(passphrase: "the first one").keyring
    try await keyring.write(account, [.init(.did, Secret("did:plc:a"))], .forbidden)
    try bench.put([], "notes.txt")
    try bench.put([], "oauth.\(account).unheardOf")
    let locked = bench.store(typist: Typist()).keyring
    #expect(await locked.state() == .locked)
    #expect(try await locked.list() == [account: [.did]])
    #expect(try await locked.read(account, [.handle], .forbidden) == [:])
  }

  @Test("A vault rejects a secret that it could not read back")
  func tooLarge() async throws {
    let keyring = try bench.store(passphrase: "the first one").keyring
    let name = ItemKind.session.key(for: account)
    let secret = Secret(Array(repeating: 0x41 as UInt8, count: 1 << 20))
    await #expect(throws: KeyringFailure.failed(reason: "\(name) is too large to be stored")) {
      try await keyring.write(account, [.init(.session, secret)], .forbidden)
    }
    #expect(try await keyring.list() == [:])
  }

  @Test("A vault whose folder is unsafe is reported with its place")
  func unsafeFolder() async throws {
    let keyring = try bench.store(passphrase: "the first one").keyring
    try await keyring.prepare(.forbidden)
    try bench.setMode(0o770, of: "vault")
    let failure = KeyringFailure.unavailable(
      reason: "\(bench.folder.path): its group or others can write to it: run `chmod go-w \(bench.folder.path)`"
    )
    await #expect(throws: failure) { try await keyring.list() }
    await #expect(throws: failure) { try await keyring.prepare(.forbidden) }
    #expect(await keyring.state() == .unavailable)
  }
}
