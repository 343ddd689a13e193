import AcctPorts
import AcctTestSupport
import SecretServiceKeyring
import Secrets
import Testing

/// A real GNOME Keyring whose default collection has no password, and is a text file.
@Suite("A Secret Service that keeps a text file", .timeLimit(.minutes(2)))
struct ClearKeyringTests {
  private static let account = KeyringCall.account

  /// Secrets that such a file does not keep, if they are stored as they are.
  private static let secrets = [
    "  two leading blanks", "a trailing blank ", "\tand a tab", #"pa\ss"#, #"pa\nword"#, #"\"#, "", " ",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
    "cr\r\nlf", "line\n[1]\nsecret=x", "über", "\u{7F}\0",
    "acct-percent:%41", "acct-percent:", "acct-percent:%4", "acct-percent:%zz", #"{"kty":"EC","x":"a=b;c#d%20"}"#,
  ]

  @Test("A clear collection returns every secret byte for byte after a restart, and another program's item")
  func restart() async throws {
    let gnome = try GnomeKeyring(collections: Product.source("Tests/SecretServices/clear-keyring"))
    defer { gnome.stop() }
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false)
    let bytes = (UInt8.min...UInt8.max).map { [$0] } + [Array(UInt8.min...UInt8.max)]
    let secrets = Self.secrets.map { Secret($0) } + bytes.map { Secret($0) }
    for (index, secret) in secrets.enumerated() {
      let kind = ItemKind.allCases[index % ItemKind.allCases.count]
      try await keyring.write(Self.account, [Keyring.Item(kind, secret)], .forbidden)
      let read = try await keyring.read(Self.account, [kind], .forbidden)
      #expect(read == [kind: secret], "\(index)")
    }
    let last = Dictionary(
      secrets.enumerated().map { (ItemKind.allCases[$0.offset % ItemKind.allCases.count], $0.element) }
    ) { $1 }
    let file = Self.secrets.prefix(ItemKind.allCases.count).map { Secret($0) }
    for written in [last, Dictionary(uniqueKeysWithValues: zip(ItemKind.allCases, file))] {
      let items = written.map { Keyring.Item($0.key, $0.value) }
      try await keyring.write(Self.account, items, .forbidden)
      try gnome.restart()
      let read = try await keyring.read(Self.account, ItemKind.allCases, .forbidden)
      #expect(read == written)
      let listed = try await keyring.list()
      #expect(listed == [Self.account: Set(written.keys)])
    }
    let other = try Daemon.run(["secret-tool", "lookup", "service", "other"], environment: gnome.environment)
    #expect(other == "other-secret")
  }

  @Test("A clear collection that no program has opened since the start is ready, without a prompt")
  func unopened() async throws {
    let gnome = try GnomeKeyring(collections: Product.source("Tests/SecretServices/clear-keyring"))
    defer { gnome.stop() }
    let item = Keyring.Item(.accessToken, Secret("made-up-token"))
    for canPrompt in [false, true] {
      let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: canPrompt)
      let state = await keyring.state()
      #expect(state == .ready)
      try gnome.restart()
      try await keyring.write(Self.account, [item], .forbidden)
      try gnome.restart()
      let listed = try await keyring.list()
      #expect(listed == [Self.account: [.accessToken]])
      try gnome.restart()
      let read = try await keyring.read(Self.account, [.accessToken], .forbidden)
      #expect(read == [.accessToken: item.secret])
    }
  }

  @Test(
    "An item that was stored as it is by an earlier version is read as it is",
    arguments: ["plain", "acct-percent:%4", "%41"]
  )
  func earlier(secret: String) async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false)
    try await keyring.write(Self.account, [Keyring.Item(.accessToken, Secret("new"))], .forbidden)
    let attributes = ["account", "\(Self.account)", "key", "oauth.\(Self.account).accessToken"]
    let stored = try Daemon.run(["secret-tool", "lookup"] + attributes, environment: gnome.environment)
    #expect(stored == "new")
    try Daemon.run(
      ["secret-tool", "store", "--label=acct", "xdg:schema", "dev.acct.Credential"] + attributes,
      environment: gnome.environment,
      input: gnome.bus.folder.file("secret", secret)
    )
    let read = try await keyring.read(Self.account, [.accessToken], .forbidden)
    #expect(read == [.accessToken: Secret(secret)])
  }
}
