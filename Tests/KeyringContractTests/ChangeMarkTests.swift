import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import SecretServiceKeyring
import Testing

/// Whether a process that has read a keyring may rely on what it has.
@Suite("A keyring's marks of changes", .timeLimit(.minutes(2)))
struct ChangeMarkTests {
  private let account = KeyringCall.account
  private let other = AccountID(random: InlineArray(repeating: 7))
  private let token = Keyring.Item(.accessToken, Secret("made-up-token"))

  @Test(
    "No two marks are the same with a lock between them, or an item that came or went",
    arguments: KeyringFactory.services
  )
  func differ(factory: KeyringFactory) async throws {
    try await factory.withKeyring { under in
      let keyring = under.keyring
      try await keyring.write(account, [token], .forbidden)
      // The first call begins to listen.
      _ = keyring.changes()
      let changes: [@Sendable () async throws -> Void] = [
        { try await under.fromElsewhere.write(other, [token], .forbidden) },
        { try await under.fromElsewhere.remove(other, [.accessToken], .forbidden) },
        {
          try await under.lock()
          try await under.unlock()
        },
      ]
      for change in changes {
        _ = try await keyring.read(account, [.accessToken], .forbidden)
        let before = keyring.changes()
        try await change()
        let after = keyring.changes()
        #expect(before == nil || before != after)
      }
    }
  }

  @Test("Between two reads from a GNOME Keyring its mark is the same; a lock and its end change it")
  func gnomeKeyring() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false)
    try await keyring.write(account, [token], .forbidden)
    #expect(keyring.changes() == nil)
    var earlier: [ChangeMark] = []
    func expectNewMark() async throws {
      _ = try await keyring.read(account, [.accessToken], .forbidden)
      let mark = try #require(keyring.changes())
      #expect(!earlier.contains(mark))
      earlier.append(mark)
      _ = try await keyring.read(account, [.accessToken], .forbidden)
      #expect(keyring.changes() == mark)
    }
    try await expectNewMark()
    try gnome.lock()
    #expect(keyring.changes().map { !earlier.contains($0) } ?? true)
    try gnome.unlock()
    try await expectNewMark()
    gnome.kill()
    try gnome.startLocked()
    try gnome.unlock()
    try await expectNewMark()
    // Another bus, and with it another connection, whose signals are counted anew.
    try gnome.bus.restart()
    gnome.kill()
    #expect(keyring.changes() == nil)
    try gnome.startLocked()
    try gnome.unlock()
    try await expectNewMark()
  }

  @Test("KWallet and KeePassXC, which may not announce a lock, have no marks", arguments: ["KWallet", "KeePassXC"])
  func others(_ name: String) async throws {
    let desktop: any DesktopKeyring = name == "KWallet" ? try KWallet() : try KeePassXC()
    defer { desktop.stop() }
    let keyring = Keyring.secretService(busAddress: desktop.busAddress, canPrompt: false, deadline: .seconds(60))
    _ = keyring.changes()
    try await keyring.write(account, [token], .forbidden)
    _ = try await keyring.read(account, [.accessToken], .forbidden)
    #expect(keyring.changes() == nil)
  }
}
