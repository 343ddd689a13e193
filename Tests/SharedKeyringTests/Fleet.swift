import AcctCrypto
import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import FleetPorts
import Glibc
import PrivateFiles
import SharedKeyring
import Synchronization
import Testing
import Vault

/// Machines with one keyring between them, on an engine in memory; each has folders, processes and a clock of its own.
final class Fleet: Sendable {
  let engine = InMemoryStore()
  let folder: TemporaryFolder
  let keyFile: String

  init() throws {
    folder = try TemporaryFolder()
    keyFile = try folder.file("key", containing: [UInt8](repeating: 0x5A, count: 32))
  }

  /// A machine that has made or joined the keyring.
  func machine(_ name: String) throws -> TestMachine {
    let machine = try machine(apart: name)
    let shared = machine.vault().sharedKeyring
    try shared.create(Self.settings, .forbidden)
    return machine
  }

  /// A machine that has not joined yet.
  func machine(apart name: String) throws -> TestMachine {
    TestMachine(name, home: try folder.folder(name), keyFile: keyFile, engine: engine)
  }

  /// An object that is sealed with the keyring's key, by no machine of the fleet.
  func sealed(_ object: SharedObject, at place: String) throws -> [UInt8] {
    let key = Secret([UInt8](repeating: 0x5A, count: 32))
    let entropy = Entropy { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
    guard let header = engine.objects["/acct/main/header"]?.bytes,
      let seal = Seal(header: header, keyFile: key, entropy: entropy, check: { _ in nil })
    else { throw TestMachine.Missing() }
    return try seal.sealed(object, at: place)
  }

  static let settings = SharedKeyringSettings(engine: .etcd(.init(endpoints: ["https://127.0.0.1:2379"])), name: "main")
}

/// One machine, on which any number of processes use the keyring.
final class TestMachine: Sendable {
  let name: String
  let home: String
  let keyFile: String?
  let passphraseFile: String?
  let engine: InMemoryStore
  let kernel: KernelKey
  let terminal: Terminal
  let tpm = InMemoryTPM()
  /// The keyring of its own, which has its key.
  let own = InMemoryKeyring()
  let state = Mutex(State())

  struct State {
    var bootTime: Int64 = 1_000_000
    var wallTime: Int64 = 1_800_000_000
    var dead: Set<Int64> = []
    var lastPID: Int64 = 100
    var pauses = 0
    var duringPause: (@Sendable () -> Void)?
    var cancels = false
    var watches: [Int: @Sendable () -> Void] = [:]
    var lastWatch = 0
  }

  init(
    _ name: String,
    home: String,
    keyFile: String? = nil,
    passphraseFile: String? = nil,
    engine: InMemoryStore,
    kernel: KernelKey = .refusing,
    terminal: Terminal = .nobody
  ) {
    self.name = name
    self.home = home
    self.keyFile = keyFile
    self.passphraseFile = passphraseFile
    self.engine = engine
    self.kernel = kernel
    self.terminal = terminal
  }

  /// A process that has fetched the account and has the right to renew it.
  func claimant() async throws -> SharedAccounts {
    let accounts = try accounts()
    _ = try accounts.fetch(Made.alice, .forbidden)
    _ = try #require(await accounts.claim(Made.intent(), .forbidden))
    return accounts
  }

  /// Moves this machine's clock.
  func advance(seconds: Int64) {
    state.withLock { state in
      state.bootTime += seconds * 1_000
      state.wallTime += seconds
    }
  }

  /// The operations on the members, as a new process of this machine gets them.
  var membership: SharedMembership { vault().sharedKeyring.membership }

  /// How often a process of this machine has waited.
  var pauses: Int { state.withLock { $0.pauses } }

  /// Ends the process that was started last, wherever it was.
  func killLast() { state.withLock { _ = $0.dead.insert($0.lastPID) } }

  /// Does something once while a process of this machine waits.
  func duringNextPause(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.duringPause = action } }

  /// Sends a signal to the processes of this machine that watch for one; returns how many do.
  @discardableResult
  func signal() -> Int {
    let watches = state.withLock { Array($0.watches.values) }
    for action in watches { action() }
    return watches.count
  }

  /// Lets the next process that waits be told to stop.
  func cancelNextPause() { state.withLock { $0.cancels = true } }

  var folder: PrivateFiles.PrivateFolder { PrivateFiles.PrivateFolder(at: "\(home)/shared") }
  var sightings: PrivateFiles.PrivateFolder { PrivateFiles.PrivateFolder(at: "\(home)/sightings") }

  /// A new process of this machine.
  func vault() -> SharedVault {
    let pid = state.withLock { state in
      state.lastPID += 1
      return state.lastPID
    }
    let entropy = Entropy { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
    let opener = VaultKeyOpener(
      passphrases: PassphraseSource(file: passphraseFile, terminal: terminal),
      kernel: kernel,
      kdf: KDFParameters(n: 16, r: 1, p: 1) ?? .standard,
      entropy: entropy
    )
    return SharedVault(
      folder: folder,
      sightings: sightings,
      opener: SharedKeyOpener(opener, keyFile: keyFile.map(KeyFile.init(path:)), entropy: entropy),
      environment: ProcessEnvironment(variable: { _ in nil }, directoryFiles: { [] }),
      entropy: entropy,
      machine: Machine(
        thisProcess: { home in
          LockOwner(bootID: "boot of \(self.name)", pidNamespace: 1, pid: pid, startTime: 7 * pid, home: home)
        },
        runs: { owner in self.state.withLock { !$0.dead.contains(owner.pid) } },
        bootTime: { self.state.withLock { $0.bootTime } },
        pause: { milliseconds in
          let (action, isCancelled) = self.state.withLock { state in
            state.bootTime += milliseconds
            state.pauses += 1
            defer { state.cancels = false }
            return (state.duringPause.take(), state.cancels)
          }
          action?()
          return !isCancelled && !Task.isCancelled
        },
        now: { self.state.withLock { $0.wallTime } },
        hostName: { self.name }
      ),
      check: { _ in nil },
      local: { kind in kind == .vault ? self.own.keyring(as: .vault) : nil },
      agreements: tpm.agreements,
      version: "0.0",
      watch: { action in
        let number = self.state.withLock { state in
          state.lastWatch += 1
          state.watches[state.lastWatch] = action
          return state.lastWatch
        }
        return HeldSignals { self.state.withLock { $0.watches[number] = nil } }
      },
      connect: { _ in self.engine.store }
    )
  }

  /// The keyring, as a new process of this machine gets it.
  func keyring() -> Keyring { vault().keyring(.etcd) }

  /// The operations on whole accounts, as a new process of this machine gets them.
  func accounts() throws -> SharedAccounts {
    guard let accounts = keyring().accounts else { throw Missing() }
    return accounts
  }

  /// An item that a new process of this machine reads from its copy.
  func item(_ kind: ItemKind, of id: AccountID) async throws -> Secret? {
    try await keyring().read(id, [kind], .forbidden)[kind]
  }

  struct Missing: Error {}
}

extension Terminal {
  /// A person who enters the same each time.
  static func answering(_ passphrase: String) -> Terminal {
    Terminal(
      canAsk: { true },
      ask: { _ in nil },
      askSecret: { _ in Secret(passphrase) },
      lines: { _ in AsyncStream { $0.finish() } }
    )
  }

  static let nobody = Terminal(
    canAsk: { false },
    ask: { _ in nil },
    askSecret: { _ in nil },
    lines: { _ in AsyncStream { $0.finish() } }
  )
}

/// The kernel's keys, which last as long as the test.
final class InMemoryKernel: Sendable {
  private let state = Mutex<[String: Secret]>([:])

  var kept: [String: Secret] {
    get { state.withLock(\.self) }
    set { state.withLock { $0 = newValue } }
  }

  var keys: KernelKey {
    KernelKey(
      read: { name in self.state.withLock { $0[name] } },
      keep: { name, payload, _ in
        self.state.withLock { $0[name] = payload }
        return nil
      },
      extend: { name, _ in self.state.withLock { $0[name] != nil } },
      forget: { name in
        self.state.withLock { $0[name] = nil }
        return true
      },
      forgetAll: { _ in false }
    )
  }
}

/// Accounts, made up.
enum Made {
  static let alice = AccountID(random: InlineArray(repeating: 0xA1))
  static let bob = AccountID(random: InlineArray(repeating: 0xB0))

  static func name(_ text: String) throws -> AccountName { try AccountName(text) }

  static func record(_ text: String, note: String? = nil) -> [UInt8] {
    let note = note.map { #","note":"\#($0)""# } ?? ""
    return Array(#"{"name":"\#(text)"\#(note)}"#.utf8)
  }

  /// An account with a refresh token.
  static func account(
    _ id: AccountID = alice,
    named name: String = "alice",
    token: String = "R0"
  ) throws -> SharedAccount {
    SharedAccount(
      id: id,
      name: try AccountName(name),
      record: record(name),
      items: .replacing([.init(.refreshToken, Secret(token)), .init(.accessToken, Secret("A-\(token)"))])
    )
  }

  /// What a renewal stores that has brought a new token.
  static func renewed(_ id: AccountID = alice, named name: String = "alice", token: String) throws -> SharedAccount {
    SharedAccount(
      id: id,
      name: try AccountName(name),
      record: record(name),
      items: .merging([.init(.refreshToken, Secret(token)), .init(.accessToken, Secret("A-\(token)"))])
    )
  }

  static func intent(_ id: AccountID = alice, named name: String = "alice") -> RenewalIntent {
    RenewalIntent(account: id, record: record(name, note: "in flight"), timeout: 30)
  }
}
