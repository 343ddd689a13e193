import AcctPorts
import AcctTestSupport
import SecretServiceKeyring
import Secrets
import Testing

/// A real GNOME Keyring with two collections of which now one, now the other is the default one.
@Suite("Items in two collections of the Secret Service", .timeLimit(.minutes(2)))
struct FormerCollectionTests {
  private static let account = KeyringCall.account
  private static let first = "/org/freedesktop/secrets/collection/login"
  private static let second = "/org/freedesktop/secrets/collection/Default_5fkeyring"

  /// A keyring whose user has the first collection open, and a second one without a password.
  private func withTwo(_ body: (Keyring, GnomeKeyring) async throws -> Void) async throws {
    let clear = Product.source("Tests/SecretServices/clear-keyring")
    let gnome = try GnomeKeyring(collections: clear, withLogin: true)
    defer { gnome.stop() }
    try gnome.call("org.freedesktop.Secret.Service.Unlock", "['\(Self.second)']")
    try await body(.secretService(busAddress: gnome.busAddress, canPrompt: false), gnome)
  }

  private func makeDefault(_ collection: String, of gnome: GnomeKeyring) throws {
    try gnome.call("org.freedesktop.Secret.Service.SetAlias", "default", collection)
  }

  private func lock(_ collection: String, of gnome: GnomeKeyring) throws {
    try gnome.call("org.freedesktop.Secret.Service.Lock", "['\(collection)']")
  }

  private func write(_ text: String, to keyring: Keyring, _ kind: ItemKind = .refreshToken) async throws {
    try await keyring.write(Self.account, [Keyring.Item(kind, Secret(text))], .forbidden)
  }

  private func read(_ keyring: Keyring, _ kind: ItemKind = .refreshToken) async throws -> Secret? {
    try await keyring.read(Self.account, [kind], .forbidden)[kind]
  }

  @Test("The item that was written last is read, in the same second, too, whichever collection is the default one")
  func sequence() async throws {
    try await withTwo { keyring, gnome in
      for round in 0..<6 {
        try makeDefault(round % 2 == 0 ? Self.first : Self.second, of: gnome)
        for step in 0..<2 {
          try await write("\(round).\(step)", to: keyring)
          #expect(try await read(keyring) == Secret("\(round).\(step)"))
        }
      }
      // The newest is in the second one; that the first becomes the default one again changes nothing.
      try makeDefault(Self.first, of: gnome)
      #expect(try await read(keyring) == Secret("5.1"))
      // The copy that was open is gone.
      let found = try gnome.call("org.freedesktop.Secret.Service.SearchItems", "{'xdg:schema': 'dev.acct.Credential'}")
      #expect(found.split(separator: "collection/").count == 2, "\(found)")
      try await keyring.remove(Self.account, [.refreshToken], .forbidden)
      #expect(try await read(keyring) == nil)
    }
  }

  @Test("A locked former collection is named, and hinders only what is in it alone")
  func former() async throws {
    try await withTwo { keyring, gnome in
      try makeDefault(Self.first, of: gnome)
      try await write("former", to: keyring)
      try await write("former token", to: keyring, .accessToken)
      try makeDefault(Self.second, of: gnome)
      try lock(Self.first, of: gnome)
      let failure = await #expect(throws: KeyringFailure.self) { _ = try await read(keyring) }
      #expect(failure.part == "Login")
      let parts = try await keyring.lockedParts([Self.account])
      #expect(parts == [Keyring.LockedPart(name: "Login", accounts: [Self.account])])
      // Stored anew.
      try await write("new", to: keyring)
      #expect(try await read(keyring) == Secret("new"))
      try await write("newer", to: keyring)
      #expect(try await read(keyring) == Secret("newer"))
      let token = await #expect(throws: KeyringFailure.self) { _ = try await read(keyring, .accessToken) }
      #expect(token.part == "Login")
      // Removed alone: the copy that can't be deleted counts for nothing, locked or not.
      try await keyring.remove(Self.account, [.accessToken], .forbidden)
      #expect(try await read(keyring, .accessToken) == nil)
      let left = try await keyring.lockedParts([Self.account])
      #expect(left.isEmpty)
      try gnome.unlock()
      #expect(try await read(keyring) == Secret("newer"))
      #expect(try await read(keyring, .accessToken) == nil)
      let listed = try await keyring.list()
      #expect(listed == [Self.account: [.refreshToken]])
      try await write("again", to: keyring, .accessToken)
      #expect(try await read(keyring, .accessToken) == Secret("again"))
    }
  }

  @Test("An account is removed whole beside a locked former collection, which is named")
  func removed() async throws {
    try await withTwo { keyring, gnome in
      try makeDefault(Self.first, of: gnome)
      try await write("former", to: keyring)
      try makeDefault(Self.second, of: gnome)
      try await write("new", to: keyring, .accessToken)
      try lock(Self.first, of: gnome)
      let failure = await #expect(throws: KeyringFailure.self) {
        try await keyring.remove(Self.account, ItemKind.allCases, .forbidden)
      }
      #expect(failure.part == "Login")
      #expect(try await read(keyring, .accessToken) == nil)
    }
  }
}

extension KeyringFailure? {
  /// The name of the locked part.
  fileprivate var part: String? {
    if case .locked(_, openedBy: .part(let name)) = self { name } else { nil }
  }
}
