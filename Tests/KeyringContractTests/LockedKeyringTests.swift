import Secrets
import AcctPorts
import AcctTestSupport
import Testing

/// What every keyring promises while it is locked, or gone.
@Suite("Every keyring that can't be used", .timeLimit(.minutes(2)))
struct LockedKeyringTests {
  let account = KeyringCall.account
  let old = Keyring.Item(.accessToken, Secret("old"))

  @Test("A keyring is ready before it is locked", arguments: KeyringFactory.all)
  func ready(factory: KeyringFactory) async throws {
    try await factory.withKeyring { under in
      let before = await under.keyring.state()
      #expect(before == .ready)
      try await under.keyring.prepare(.forbidden)
      let after = await under.keyring.state()
      #expect(after == .ready)
    }
  }

  @Test("A locked keyring says that it is locked and keeps its items", arguments: KeyringFactory.all)
  func locked(factory: KeyringFactory) async throws {
    try await factory.withKeyring { under in
      try await under.keyring.write(account, [old], .forbidden)
      try await under.lock()
      let lockedState = await under.keyring.state()
      #expect(lockedState == .locked)
      for call in [KeyringCall.read, .write, .remove, .prepare] {
        let failure = await call.failure(on: under.keyring)
        #expect(failure.isLocked, "\(call): \(String(describing: failure))")
      }
      try await under.unlock()
      let unlockedState = await under.keyring.state()
      #expect(unlockedState == .ready)
      let read = try await under.keyring.read(account, [.accessToken], .forbidden)
      #expect(read == [.accessToken: old.secret])
    }
  }

  @Test("A locked keyring says so even if only some of the items exist", arguments: KeyringFactory.all)
  func partlyThere(factory: KeyringFactory) async throws {
    try await factory.withKeyring { under in
      try await under.keyring.write(account, [.init(.refreshToken, Secret("r"))], .forbidden)
      try await under.lock()
      let failure = await #expect(throws: KeyringFailure.self) {
        _ = try await under.keyring.read(account, [.accessToken, .refreshToken], .forbidden)
      }
      #expect(failure.isLocked)
    }
  }

  @Test("An unlocked keyring accepts writes again", arguments: KeyringFactory.all)
  func unlocked(factory: KeyringFactory) async throws {
    try await factory.withKeyring { under in
      try await under.keyring.write(account, [old], .forbidden)
      try await under.lock()
      try await under.unlock()
      try await KeyringCall.write.make(on: under.keyring, .forbidden)
      let read = try await under.fromElsewhere.read(account, [.accessToken], .forbidden)
      #expect(read == [.accessToken: KeyringCall.written.secret])
    }
  }

  @Test("A keyring that is gone says that it is unavailable", arguments: KeyringFactory.services)
  func gone(factory: KeyringFactory) async throws {
    try await factory.withKeyring { under in
      try await under.keyring.write(account, [old], .forbidden)
      try under.takeAway()
      let state = await under.keyring.state()
      #expect(state == .unavailable)
      for call in KeyringCall.allCases {
        let failure = await call.failure(on: under.keyring)
        #expect(failure.isUnavailable, "\(call): \(String(describing: failure))")
      }
    }
  }
}
