import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import SecretServiceKeyring
import Testing

/// What a process keeps between its calls: a way to the keyring, which may end at any time.
@Suite("The Secret Service keyring's one connection", .timeLimit(.minutes(2)))
struct OneConnectionTests {
  let account = KeyringCall.account
  let token = Keyring.Item(.accessToken, Secret("made-up-token"))

  @Test("One connection to the keyring serves any number of calls, each with its own answer")
  func crowd() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false, deadline: .seconds(60))
    let before = try gnome.bus.connections()
    let accounts = (0..<20).map { AccountID(random: InlineArray(repeating: UInt8($0))) }
    try await withThrowingTaskGroup { group in
      for account in accounts {
        group.addTask {
          let item = Keyring.Item(.accessToken, Secret("made-up-\(account)"))
          for _ in 0..<3 {
            try await keyring.write(account, [item], .forbidden)
            let read = try await keyring.read(account, [.accessToken], .forbidden)
            #expect(read == [.accessToken: item.secret])
          }
        }
      }
      try await group.waitForAll()
    }
    // The keyring's, and that of the question how many there are.
    #expect(try gnome.bus.connections() == before + 2)
  }

  @Test("The connection to the keyring is kept while that is locked, and while there is none")
  func refusals() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false)
    try await keyring.write(account, [token], .forbidden)
    try gnome.lock()
    let before = try gnome.bus.connections()
    for _ in 1...10 { #expect(await KeyringCall.read.failure(on: keyring).isLocked) }
    #expect(try gnome.bus.connections() == before + 1)
    gnome.kill()
    for _ in 1...10 { #expect(await KeyringCall.read.failure(on: keyring).isUnavailable) }
    #expect(try gnome.bus.connections() == before + 2)
  }

  @Test("A connection to the keyring that the bus ended is replaced")
  func reconnected() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false)
    try await keyring.write(account, [token], .forbidden)
    // Without its bus the keyring ends as well.
    try gnome.bus.restart()
    gnome.kill()
    try gnome.startLocked()
    try gnome.unlock()
    let before = try gnome.bus.connections()
    for _ in 1...2 {
      let read = try await keyring.read(account, [.accessToken], .forbidden)
      #expect(read == [.accessToken: token.secret])
    }
    #expect(try gnome.bus.connections() == before + 2)
  }

  @Test("A connection to an unresponsive keyring is given up for all callers within one deadline")
  func frozen() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false, deadline: .seconds(3))
    try await keyring.write(account, [token], .forbidden)
    gnome.freeze()
    let failures = await withTaskGroup { group in
      for _ in 1...20 { group.addTask { await KeyringCall.read.failure(on: keyring) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(failures == Array(repeating: .timedOut, count: 20))
    gnome.thaw()
    let read = try await keyring.read(account, [.accessToken], .forbidden)
    #expect(read == [.accessToken: token.secret])
  }
}
