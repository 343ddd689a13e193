import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import Testing

/// What every keyring promises; a fake is trusted only because it passes the same tests.
@Suite("Every keyring", .timeLimit(.minutes(2)))
struct KeyringContractTests {
  let alice: AccountID
  let bob: AccountID

  init() throws {
    alice = try AccountID("a11ce000-0000-4000-8000-000000000000")
    bob = try AccountID("b0b00000-0000-4000-8000-000000000000")
  }

  @Test("A keyring returns to every process what was written", arguments: KeyringFactory.every)
  func roundTrip(factory: KeyringFactory) async throws {
    try await factory.withKeyring { under in
      let items = ItemKind.allCases.map { Keyring.Item($0, Secret("made-up \($0)")) }
      try await under.keyring.write(alice, items, .forbidden)
      for keyring in [under.keyring, under.fromElsewhere] {
        let read = try await keyring.read(alice, ItemKind.allCases, .forbidden)
        #expect(read == Dictionary(uniqueKeysWithValues: items.map { ($0.kind, $0.secret) }))
      }
    }
  }

  @Test("A keyring returns only the requested items", arguments: KeyringFactory.every)
  func selection(factory: KeyringFactory) async throws {
    try await factory.withKeyring { under in
      try await under.keyring.write(
        alice,
        [.init(.accessToken, Secret("a")), .init(.keypair, Secret("k"))],
        .forbidden
      )
      let read = try await under.keyring.read(alice, [.keypair, .refreshToken], .forbidden)
      #expect(read == [.keypair: Secret("k")])
      #expect(try await under.keyring.read(alice, [], .forbidden) == [:])
    }
  }

  @Test("A keyring returns nothing for a missing item", arguments: KeyringFactory.every)
  func notThere(factory: KeyringFactory) async throws {
    try await factory.withKeyring { under in
      let read = try await under.keyring.read(alice, [.accessToken], .forbidden)
      #expect(read == [:])
    }
  }

  @Test("A keyring keeps the last of several writes", arguments: KeyringFactory.every)
  func replacement(factory: KeyringFactory) async throws {
    try await factory.withKeyring { under in
      for text in ["one", "two", "three"] {
        try await under.keyring.write(alice, [.init(.session, Secret(text))], .forbidden)
      }
      let repeated = [Keyring.Item(.guest, Secret("first")), .init(.guest, Secret("last"))]
      try await under.keyring.write(alice, repeated, .forbidden)
      let read = try await under.keyring.read(alice, [.session, .guest], .forbidden)
      #expect(read == [.session: Secret("three"), .guest: Secret("last")])
    }
  }

  @Test("A keyring keeps bytes unchanged", arguments: KeyringFactory.every)
  func bytes(factory: KeyringFactory) async throws {
    try await factory.withKeyring { under in
      let odd = Secret([0, 255, 10, 13, 0, 128])
      let long = Secret([UInt8](repeating: 65, count: 100_000))
      // What a password manager could take for more than text.
      let template = Secret(#"{TITLE}{S:key}\n%n$x"# + "\r\n\t\u{FEFF}é\u{65}\u{301}")
      let items = [
        Keyring.Item(.keypair, odd), .init(.accessToken, long), .init(.did, Secret("")), .init(.session, template),
      ]
      try await under.keyring.write(alice, items, .forbidden)
      let read = try await under.keyring.read(alice, ItemKind.allCases, .forbidden)
      #expect(
        read == [.keypair: odd, .accessToken: long, .did: Secret(""), .session: template]
      )
    }
  }

  @Test("A keyring keeps accounts apart", arguments: KeyringFactory.every)
  func isolation(factory: KeyringFactory) async throws {
    try await factory.withKeyring { under in
      try await under.keyring.write(alice, [.init(.accessToken, Secret("a"))], .forbidden)
      try await under.keyring.write(bob, [.init(.accessToken, Secret("b"))], .forbidden)
      try await under.keyring.remove(alice, ItemKind.allCases, .forbidden)
      #expect(try await under.keyring.read(alice, [.accessToken], .forbidden) == [:])
      let left = try await under.keyring.read(bob, [.accessToken], .forbidden)
      #expect(left == [.accessToken: Secret("b")])
    }
  }

  @Test("A keyring removes the named items and nothing else", arguments: KeyringFactory.every)
  func removal(factory: KeyringFactory) async throws {
    try await factory.withKeyring { under in
      try await under.keyring.write(
        alice,
        [.init(.accessToken, Secret("a")), .init(.refreshToken, Secret("r"))],
        .forbidden
      )
      try await under.keyring.remove(alice, [.accessToken], .forbidden)
      let left = try await under.keyring.read(alice, ItemKind.allCases, .forbidden)
      #expect(left == [.refreshToken: Secret("r")])
    }
  }

  @Test("A keyring counts the removal of a missing item as done", arguments: KeyringFactory.every)
  func removalOfNothing(factory: KeyringFactory) async throws {
    try await factory.withKeyring { under in
      try await under.keyring.remove(alice, ItemKind.allCases, .forbidden)
      try await under.keyring.remove(alice, ItemKind.allCases, .forbidden)
      #expect(try await under.keyring.list() == [:])
    }
  }

  @Test("A keyring lists each account's items", arguments: KeyringFactory.every)
  func list(factory: KeyringFactory) async throws {
    try await factory.withKeyring { under in
      #expect(try await under.keyring.list() == [:])
      try await under.keyring.write(
        alice,
        [.init(.accessToken, Secret("a")), .init(.keypair, Secret("k"))],
        .forbidden
      )
      try await under.keyring.write(bob, [.init(.guest, Secret("g"))], .forbidden)
      #expect(
        try await under.fromElsewhere.list() == [alice: [.accessToken, .keypair], bob: [.guest]]
      )
    }
  }
}
