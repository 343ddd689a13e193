import AcctCrypto
import AcctEngine
import AcctPorts
import AcctTestSupport
import EtcdStore
import FleetPorts
import Glibc
import PostgresStore
import PrivateFiles
import SecretServiceKeyring
import SharedKeyring
import Testing
import Vault

/// A keyring as the contract suite meets it: empty, unlocked, and used by nothing else.
struct KeyringUnderTest: Sendable {
  /// What the command gets.
  let keyring: Keyring
  /// The same keyring as another process gets it.
  let fromElsewhere: Keyring
  /// Locks it, so that only a person could unlock it.
  let lock: @Sendable () async throws -> Void
  /// Unlocks it again.
  let unlock: @Sendable () async throws -> Void
  /// Makes it impossible to reach; a folder of our own always is.
  var takeAway: @Sendable () throws -> Void = {}
  /// Ends what was started for it.
  let stop: @Sendable () -> Void
}

/// The kinds of keyrings that keep the contract, and how to make a new one of each.
///
/// A keyring is added by one more of these in ``all``.
struct KeyringFactory: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let make: @Sendable () async throws -> KeyringUnderTest

  static let all = services + [vault, sharedInMemory, sharedOnEtcd, sharedOnPostgres]

  /// With the one that is gone with its process, and can't be locked.
  static let every = all + [ofOneProcess]

  /// `ACCT_KEYRING=memory`.
  static let ofOneProcess = KeyringFactory(testDescription: "of one process") {
    let keyring = RecordedWorld().world().keepingNothing().secretService
    return KeyringUnderTest(keyring: keyring, fromElsewhere: keyring, lock: {}, unlock: {}, stop: {})
  }

  /// Those that run as a service, which can go away.
  static let services = [inMemory, gnomeKeyring, keePassXC, kWallet]

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

  static let gnomeKeyring = desktop("GNOME Keyring") { try GnomeKeyring() }
  static let keePassXC = desktop("KeePassXC") { try KeePassXC() }
  static let kWallet = desktop("KWallet") { try KWallet() }

  private static func desktop(
    _ name: String,
    start: @escaping @Sendable () throws -> any DesktopKeyring
  ) -> KeyringFactory {
    KeyringFactory(testDescription: name) {
      let desktop = try start()
      // Far above what any call takes, on a machine with much else to do, too.
      let keyring: @Sendable () -> Keyring = {
        .secretService(busAddress: desktop.busAddress, canPrompt: false, deadline: .seconds(60))
      }
      return KeyringUnderTest(
        keyring: keyring(),
        fromElsewhere: keyring(),
        lock: { try desktop.lock() },
        unlock: { try desktop.unlock() },
        takeAway: { desktop.kill() },
        stop: { desktop.stop() }
      )
    }
  }

  static let vault = KeyringFactory(testDescription: "vault") {
    let home = try TemporaryFolder()
    let passphrase = try home.file("passphrase", containing: "made up for this")
    let open: @Sendable () -> VaultStore = {
      VaultStore(
        folder: PrivateFolder(at: "\(home.path)/vault"),
        passphrases: PassphraseSource(file: passphrase, terminal: .nobody),
        kernel: .refusing,
        kdf: KDFParameters(n: 16, r: 1, p: 1) ?? .standard,
        entropy: Entropy { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
      )
    }
    let store = open()
    return KeyringUnderTest(
      keyring: store.keyring,
      fromElsewhere: open().keyring,
      lock: {
        // A passphrase that can't be read any more, and a key that is forgotten.
        guard unsafe rename(passphrase, passphrase + ".away") == 0 else { throw Unmoved() }
        try await store.vault.lock()
      },
      unlock: {
        guard unsafe rename(passphrase + ".away", passphrase) == 0 else { throw Unmoved() }
      },
      // The folder is deleted when the last reference to it is released.
      stop: { withExtendedLifetime(home) {} }
    )
  }

  static let sharedInMemory = shared("shared, in memory") {
    let engine = InMemoryStore()
    return { engine.store }
  }

  static let sharedOnEtcd = shared("shared, on etcd") {
    let cluster = try await Engines.etcd.value
    let settings = SharedKeyringSettings.Etcd(
      endpoints: cluster.endpoints,
      certificate: cluster.client.certificate,
      key: cluster.client.key,
      authority: cluster.authority.certificate
    )
    return { .etcd(settings) }
  }

  static let sharedOnPostgres = shared("shared, on PostgreSQL") {
    let settings = try await Engines.postgres.value.settings
    return { .postgres(settings) }
  }

  /// The engines of this process, on which each test has a keyring of its own.
  private enum Engines {
    static let etcd = Task { try await EtcdCluster() }
    static let postgres = Task { try await PostgresServer() }
  }

  /// A new shared keyring on a running engine, which is connected to once for each of its two users.
  static func shared(
    _ name: String,
    connecting: @escaping @Sendable () async throws -> @Sendable () -> SharedStore
  ) -> KeyringFactory {
    KeyringFactory(testDescription: name) {
      let home = try TemporaryFolder()
      let keyFile = try home.file("key", containing: [UInt8](repeating: 0x5A, count: 32))
      let store = try await connecting()
      let entropy = Entropy { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
      let open: @Sendable () -> SharedVault = {
        SharedVault(
          folder: PrivateFolder(at: "\(home.path)/shared"),
          sightings: PrivateFolder(at: "\(home.path)/sightings"),
          opener: SharedKeyOpener(
            VaultKeyOpener(passphrases: PassphraseSource(terminal: .nobody), kernel: .refusing, entropy: entropy),
            keyFile: KeyFile(path: keyFile),
            entropy: entropy
          ),
          environment: ProcessEnvironment(variable: { _ in nil }, directoryFiles: { [] }),
          entropy: entropy,
          check: { _ in nil },
          connect: { _ in store() }
        )
      }
      let vaults = (open(), open())
      let settings = SharedKeyringSettings(
        engine: .etcd(.init(endpoints: ["https://127.0.0.1:2379"])),
        name: "contract-\(String(UInt64.random(in: .min ... .max), radix: 16))"
      )
      try vaults.0.sharedKeyring.create(settings, .forbidden)
      return KeyringUnderTest(
        keyring: vaults.0.keyring(.etcd),
        fromElsewhere: vaults.1.keyring(.etcd),
        lock: {
          guard unsafe rename(keyFile, keyFile + ".away") == 0 else { throw Unmoved() }
        },
        unlock: {
          guard unsafe rename(keyFile + ".away", keyFile) == 0 else { throw Unmoved() }
        },
        stop: {
          vaults.0.end()
          vaults.1.end()
          // The folder is deleted when the last reference to it is released.
          withExtendedLifetime(home) {}
        }
      )
    }
  }

  private struct Unmoved: Error {}

  /// Lends a new keyring to a test.
  func withKeyring(_ body: (KeyringUnderTest) async throws -> Void) async throws {
    let keyring = try await make()
    defer { keyring.stop() }
    try await body(keyring)
  }
}

extension Terminal {
  fileprivate static let nobody = Terminal(
    canAsk: { false },
    ask: { _ in nil },
    askSecret: { _ in nil },
    lines: { _ in AsyncStream { $0.finish() } }
  )
}
