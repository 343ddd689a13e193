import AcctPorts
import AcctTestSupport
import SecretServiceKeyring
import Testing

/// A keyring as the contract suite meets it: empty, unlocked, and nobody else's.
struct KeyringUnderTest: Sendable {
  /// What the command gets.
  let keyring: Keyring
  /// The same keyring as another process gets it.
  let fromElsewhere: Keyring
  /// Locks it, so that only a person could unlock it.
  let lock: @Sendable () throws -> Void
  /// Unlocks it again.
  let unlock: @Sendable () throws -> Void
  /// Makes it impossible to reach.
  let takeAway: @Sendable () throws -> Void
  /// Ends what was started for it.
  let stop: @Sendable () -> Void
}

/// The kinds of keyrings that keep the contract, and how to make a new one of each.
///
/// A keyring is added by one more of these in ``all``.
struct KeyringFactory: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let make: @Sendable () throws -> KeyringUnderTest

  static let all = [inMemory, secretService]

  static let inMemory = KeyringFactory(testDescription: "in memory") {
    let memory = InMemoryKeyring()
    return KeyringUnderTest(
      keyring: memory.keyring(),
      fromElsewhere: memory.keyring(),
      lock: { memory.lock() },
      unlock: { memory.unlock() },
      takeAway: { memory.fail(with: .unavailable(reason: "taken away")) },
      stop: {}
    )
  }

  static let secretService = KeyringFactory(testDescription: "Secret Service") {
    let gnome = try GnomeKeyring()
    return KeyringUnderTest(
      keyring: .secretService(busAddress: gnome.busAddress, canPrompt: false),
      fromElsewhere: .secretService(busAddress: gnome.busAddress, canPrompt: false),
      lock: { try gnome.lock() },
      unlock: { try gnome.unlock() },
      takeAway: { gnome.kill() },
      stop: { gnome.stop() }
    )
  }

  /// Lends a new keyring to a test.
  func withKeyring(_ body: (KeyringUnderTest) async throws -> Void) async throws {
    let keyring = try make()
    defer { keyring.stop() }
    try await body(keyring)
  }
}
