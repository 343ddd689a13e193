import AcctModel
package import AcctPorts
package import FleetPorts
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

  /// The operations on the keyring as a whole.
  package var sharedKeyring: SharedKeyring {
    SharedKeyring(
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

extension SharedVault {
  /// Reads and checks every object of the keyring.
  func inspect(_ interaction: Interaction) throws(KeyringFailure) -> SharedKeyring.Inspection {
    guard let settings = try settings() else { throw .notJoined }
    let session = try session(settings.kind)
    var seal = try seal(session, interaction)
    // An engine that was restored is looked at as it is, with the keys that it had then.
    do { try seal.keys.confirm() } catch {
      guard error == .rolledBack else { throw error }
      seal.keys.assumeConfirmed()
      seal = seal.local
    }
    let changes = try ask { () throws(SharedStoreFailure) in try session.store.changes(session.places.accounts, 0) }
    var inspection = SharedKeyring.Inspection()
    inspection.strayKeys = changes.keys.filter { session.places.account(at: $0) == nil }
      .map { String($0.prefix(256)) }.sorted()
    var names: [AccountName: [AccountID]] = [:]
    for object in changes.objects {
      guard let id = session.places.account(at: object.key), let object = try settled(object, session, seal)
      else { continue }
      switch try seal.inspected(object.bytes, of: id, at: object.key) {
      case .failure(let damage): inspection.damaged[id] = damage
      case .success(let contents):
        if let name = contents.name { names[name, default: []].append(id) }
        let (copy, seen) = try copies.seen(of: id)
        let found = OpenedObject(id: id, contents: contents, object: object)
        // Another process of this machine may have seen a later one since: it is asked again.
        if seen.isContradicted(by: found, besides: copy), try look(session, seal, id).isRolledBack {
          inspection.rolledBack.append(id)
        }
      }
    }
    for (name, ids) in names where ids.count > 1 {
      let holder = try holder(of: name, session, seal)
      for id in ids where id != holder { inspection.damaged[id] = .nameTaken }
    }
    for id in try copies.accounts() where !changes.keys.contains(session.places.account(id)) {
      if try copies.seen(of: id).1.isContradicted(by: nil, isSame: false), try look(session, seal, id).isRolledBack {
        inspection.rolledBack.append(id)
      }
    }
    inspection.rolledBack.sort { $0.description < $1.description }
    return inspection
  }

  /// The account that has a name, as the name's own object says; `nil` if there is no such object, or it is damaged.
  func holder(of name: AccountName, _ session: Session, _ seal: Seal) throws(KeyringFailure) -> AccountID? {
    let place = session.places.name(try seal.digest(of: name))
    let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(place) }
    guard let object = reading.object, let object = try settled(object, session, seal) else { return nil }
    return try? seal.holder(object.bytes, at: place)
  }
}

extension SharedVault {
  /// Stores the answer that this machine still has for an account, if it has one.
  ///
  /// - Returns: The result of the change; `nil` if there was none.
  /// - Throws: ``KeyringFailure``; the answer is then still there.
  func storePending(_ session: Session, _ seal: Seal, _ id: AccountID) throws(KeyringFailure) -> Change.Outcome? {
    guard let file = try copies.pendingAnswer(of: id) else { return nil }
    let place = session.places.account(id)
    do { try confirm(session, id) } catch {
      guard case .engine = error else { throw error }
      throw .answerWaits
    }
    guard let base = try seal.local.objectIfWhole(file.base.bytes, of: id, at: place),
      let wanted = try seal.local.objectIfWhole(file.bytes, of: id, at: place)
    else { throw copies.unopenedAnswer(of: id) }
    var change = Change(
      account: id,
      base: base,
      version: file.base.version,
      wanted: wanted,
      sealed: try seal.current(file.bytes, wanted, at: place),
      writer: file.writer,
      isAnswer: true,
      replacing: file.replacing
    )
    for bytes in file.earlier {
      guard let earlier = try seal.local.objectIfWhole(bytes, of: id, at: place) else { continue }
      change.alsoSpent.append(earlier.credential)
    }
    let outcome: Change.Outcome
    do { outcome = try commit(change, session, seal) } catch {
      guard case .engine = error else { throw error }
      throw .answerWaits
    }
    try copies.removePending(id)
    return outcome
  }

  /// Keeps a server's answer where another one waits already: both are stored in one step, the later over the earlier.
  ///
  /// It is not known whether the engine has the earlier one by then, because only its own answer was lost; so the
  /// credential that it brought counts as spent, too.
  func keepBesidePending(_ account: SharedAccount, _ session: Session, _ seal: Seal) throws(KeyringFailure) {
    guard !account.items.isUnchanged, var file = try copies.pendingAnswer(of: account.id) else { return }
    let place = session.places.account(account.id)
    guard let earlier = try seal.local.objectIfWhole(file.bytes, of: account.id, at: place) else { return }
    let base: SharedObject
    if let claim = claim(of: account.id) {
      base = claim.object
    } else {
      let copy = try copies.copy(of: account.id) ?? file.base
      base = try seal.local.object(copy.bytes, of: account.id, at: place)
    }
    var mine = base
    mine.name = account.name
    mine.record = account.record
    mine.items = base.changed(by: account.items)
    var wanted = SharedObject.merged(base: base, mine: mine, theirs: earlier, replacing: account.items.isReplacing)
    // The lock of another machine is not this change's to take out.
    wanted.lock = claim(of: account.id) == nil ? earlier.lock : nil
    guard wanted != earlier else { return }
    // Also where this change keeps the credential: the engine's object is then not yet the whole answer.
    let spent = SharedObject(items: earlier.credentialItems)
    file.earlier = file.earlier.suffix(PendingFile.earlierLimit - 1)
    file.earlier.append(try seal.sealed(spent, at: place))
    file.replacing = file.replacing || account.items.isReplacing
    file.bytes = try seal.sealed(wanted, at: place)
    try copies.keepPending(file, of: account.id)
  }

  /// Keeps a change that has an answer of a server in it before the engine is asked to store it: after any
  /// interruption, the next call on this machine stores it first.
  ///
  /// - Returns: `true` if it is kept. Where the disk refuses, the engine may still take it.
  func keepPending(_ change: Change, _ base: CopyFile) -> Bool {
    let file = PendingFile(writer: change.writer, base: base, replacing: change.replacing, bytes: change.sealed.bytes)
    do { try copies.keepPending(file, of: change.account) } catch { return false }
    return true
  }
}
