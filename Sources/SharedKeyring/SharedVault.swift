import AcctModel
package import AcctPorts
package import PrivateFiles
import Synchronization

/// A keyring that several machines share: ciphertext on an engine, and a copy of it on this machine.
///
/// Nothing is read, opened or connected before its first use. An object of the engine, or a copy, is never cleared
/// away because it does not open: damage is reported.
package final class SharedVault: Sendable {
  let copies: Copies
  let sightings: Sightings
  let opener: SharedKeyOpener
  let environment: ProcessEnvironment
  let entropy: Entropy
  let machine: Machine
  /// The rules for the contents of an account's object.
  let check: SharedCheck
  /// This machine's other keyrings, one of which has its key.
  let local: @Sendable (Keyring.Kind) -> Keyring?
  /// Keys of machines in a TPM.
  let agreements: AgreementKeys
  /// Of acct, as other machines are shown it.
  let version: String
  /// Calls an action when the process is told to end; see ``Signals/watch``.
  let watch: @Sendable (_ action: @escaping @Sendable () -> Void) -> HeldSignals
  /// Names this process where its home can't be told from others; they wait for its locks' time.
  private let unknownHome = Machine.unknown()
  let connect: @Sendable (SharedKeyringSettings) -> SharedStore
  private let state = Mutex(State())

  private struct State {
    var connection: (settings: SharedKeyringSettings, store: SharedStore)?
    var claims: [AccountID: HeldClaim] = [:]
    /// The versions that this process has read or stored last.
    var versions: [AccountID: Int64] = [:]
    /// `true` if the engine's latest answer to this process went on from the known standing.
    var isConfirmed = false
    /// Opens a keyring whose passphrase or key file this process changes, or an earlier one has changed so; and whether
    /// it was needed.
    var successor: (opener: SharedKeyOpener, hasOpened: Bool)?
    /// The accounts whose object was older in that answer than this machine has seen it.
    var rolledBack: Set<AccountID> = []
  }

  /// Names a shared keyring.
  ///
  /// - Parameters:
  ///   - folder: The folder of this machine's copies and settings.
  ///   - sightings: The folder that records when another machine's lock was first seen.
  ///   - opener: Opens the keyring's key.
  ///   - environment: May name the engine.
  ///   - entropy: For nonces.
  ///   - machine: This machine and this process.
  ///   - check: The rules for the contents of an account's object.
  ///   - local: This machine's other keyrings, by kind.
  ///   - agreements: Keys of machines in a TPM; none is opened before its first use.
  ///   - version: Of acct.
  ///   - watch: Calls an action when the process is told to end.
  ///   - connect: Makes the engine's client; it connects when it is first used.
  package init(
    folder: PrivateFolder,
    sightings: PrivateFolder,
    opener: SharedKeyOpener,
    environment: ProcessEnvironment,
    entropy: Entropy,
    machine: Machine = .live,
    check: @escaping SharedCheck,
    local: @escaping @Sendable (Keyring.Kind) -> Keyring? = { _ in nil },
    agreements: AgreementKeys = .none,
    version: String = "",
    watch: @escaping @Sendable (_ action: @escaping @Sendable () -> Void) -> HeldSignals = { _ in HeldSignals {} },
    connect: @escaping @Sendable (SharedKeyringSettings) -> SharedStore
  ) {
    copies = Copies(folder: folder)
    self.sightings = Sightings(folder: sightings)
    self.opener = opener
    self.environment = environment
    self.entropy = entropy
    self.machine = machine
    self.check = check
    self.local = local
    self.agreements = agreements
    self.version = version
    self.watch = watch
    self.connect = connect
  }

  /// The keyring, and the operations on it as a whole.
  package var sharedKeyring: SharedKeyring {
    SharedKeyring(
      keyring: { kind in self.keyring(kind) },
      settings: { () throws(KeyringFailure) in try self.settings() },
      create: { settings, interaction throws(KeyringFailure) in try self.create(settings, interaction) },
      join: { settings, interaction throws(KeyringFailure) in try self.join(settings, interaction) },
      leave: { () throws(KeyringFailure) in try self.leave() },
      trust: { interaction throws(KeyringFailure) in try self.trust(interaction) },
      report: { () throws(KeyringFailure) in try self.report() },
      pending: { () throws(KeyringFailure) in try self.copies.pendingAccounts() },
      inspect: { interaction throws(KeyringFailure) in try self.inspect(interaction) },
      membership: membership
    )
  }

  /// Wipes the key in this process, and ends the connection.
  package func end() {
    opener.end()
    forget()
  }

  /// Forgets this process's state of a keyring: its connection and its claims.
  func forget() {
    let store = state.withLock { state in
      defer { state = State() }
      return state.connection?.store
    }
    store?.end()
  }

  /// The client of the engine at these settings; one for as long as they stay the same.
  func store(_ settings: SharedKeyringSettings) -> SharedStore {
    let (store, former) = state.withLock { state -> (SharedStore, SharedStore?) in
      if let connection = state.connection, connection.settings == settings { return (connection.store, nil) }
      let former = state.connection?.store
      let store = connect(settings).bounded(Places(name: settings.name))
      state.connection = (settings, store)
      state.isConfirmed = false
      return (store, former)
    }
    former?.end()
    return store
  }

  /// This process as the owner of a lock.
  ///
  /// Its home is part of the name: an answer that waits in another home can't be stored first from this one.
  var thisProcess: LockOwner {
    let home: String
    do { home = try copies.folder.identity() } catch { home = unknownHome }
    return machine.thisProcess(home)
  }

  var isConfirmed: Bool {
    get { state.withLock { $0.isConfirmed } }
    set { state.withLock { $0.isConfirmed = newValue } }
  }

  var successor: (opener: SharedKeyOpener, hasOpened: Bool)? {
    get { state.withLock { $0.successor } }
    set { state.withLock { $0.successor = newValue } }
  }

  /// Notes whether the engine's object of an account is older than this machine has seen it.
  func note(rolledBack: Bool, _ id: AccountID) {
    state.withLock { state in
      if rolledBack { state.rolledBack.insert(id) } else { state.rolledBack.remove(id) }
    }
  }

  /// `true` if the engine's latest answer about an account was an older object than this machine has seen.
  func isRolledBack(_ id: AccountID) -> Bool { state.withLock { $0.rolledBack.contains(id) } }

  /// `true` if any account's object was older than this machine has seen it.
  var hasRollbacks: Bool { state.withLock { !$0.rolledBack.isEmpty } }

  /// Forgets which objects were older: the engine is accepted as it is.
  func forgetRollbacks() { state.withLock { $0.rolledBack = [] } }

  /// The claim of this process on an account; the first store after it ends it.
  func claim(of id: AccountID) -> HeldClaim? { state.withLock { $0.claims[id] } }

  /// Notes the version of an account that this process works with from now on.
  func note(_ version: Int64, of id: AccountID) { state.withLock { $0.versions[id] = version } }

  /// `true` if this process has read this copy: another process of this machine can bring newer ones at any time.
  func isRead(_ copy: CopyFile, of id: AccountID) -> Bool {
    state.withLock { $0.versions[id] ?? copy.version } == copy.version
  }

  func hold(_ claim: HeldClaim?, of id: AccountID) { state.withLock { $0.claims[id] = claim } }
}

/// A claim as this process holds it: the object with its lock in it, as it was stored, and the keys that sealed it.
///
/// The keyring may be locked before the answer is there, which must be stored all the same.
struct HeldClaim: Sendable {
  var object: SharedObject
  var copy: CopyFile
  var seal: Seal
}
