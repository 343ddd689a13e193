import AcctModel
import AcctPorts
import FleetPorts
import Vault

extension SharedVault {
  /// Makes a keyring on the engine, and keeps the settings.
  ///
  /// One that is there is joined if the key opens it.
  func create(_ settings: SharedKeyringSettings, _ interaction: Interaction) throws(KeyringFailure) {
    try checkCopies(of: settings)
    let session = Session(settings, store(settings))
    try ask { () throws(SharedStoreFailure) in try session.store.prepare() }
    let place = session.places.header
    var reading = try ask { () throws(SharedStoreFailure) in try session.store.get(place) }
    if reading.object == nil {
      // A person's time and scrypt's are spent before anything is written.
      let header = try opener.make(holder: try notedIdentity().id, at: machine.now(), interaction).serialized()
      do { _ = try session.store.swap(place, header, nil) } catch {
        guard let now = try? session.store.get(place), now.object != nil else { throw .engine(error) }
      }
      // Another machine may have been faster; its keyring is used, if the key opens it.
      reading = try ask { () throws(SharedStoreFailure) in try session.store.get(place) }
    }
    guard let object = reading.object else { throw .failed(reason: "the engine does not have what was just stored") }
    try enter(session, object, reading.standing, interaction)
  }

  /// Joins the keyring that another machine has made, and keeps the settings.
  func join(_ settings: SharedKeyringSettings, _ interaction: Interaction) throws(KeyringFailure) {
    try checkCopies(of: settings)
    let session = Session(settings, store(settings))
    let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(session.places.header) }
    guard let object = reading.object else {
      throw .engine(.notPrepared(reason: "there is no keyring \(settings.name) on the engine"))
    }
    try enter(session, object, reading.standing, interaction)
  }

  /// Keeps the settings of a keyring that the key opens, last of all.
  ///
  /// - Parameters:
  ///   - session: The keyring.
  ///   - header: The engine's header.
  ///   - standing: The engine's, as of that answer.
  ///   - machine: This machine, if it is not the one that it is noted as.
  ///   - interaction: Decides if a person may be asked.
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/rolledBack``.
  func enter(
    _ session: Session,
    _ header: SharedStore.Object,
    _ standing: SharedStore.Standing,
    as machine: MachineIdentity? = nil,
    _ interaction: Interaction
  ) throws(KeyringFailure) {
    let parsed = try parse(header.bytes)
    let opened = try opened(parsed, as: machine, interaction)
    guard !hasGoneBack(standing, try copies.known()) else { throw .rolledBack }
    if let contents = try copies.read(Self.headerName, in: copies.folder), try copies.known() != nil {
      // It goes on from what this machine knows, by whatever means that was opened.
      let local = try parse(contents)
      if local != parsed {
        guard try goes(opened, onFrom: local) else { throw .strangeHeader }
        try keep(opened, header.bytes)
      }
    } else {
      try compare(opened, session)
      try adopt(header.bytes, standing, session.settings)
    }
    // A machine that is killed before the settings are there asks again, and is in.
    if let machine { try note(machine) }
    try copies.write(
      SettingsFile.fileName,
      SettingsFile.serialized(session.settings),
      in: copies.folder,
      surviving: true
    )
    if let recipient = opened.recipient { try copies.remember([recipient: ""]) }
    noteHolder(opened, session, joinedAt: self.machine.now())
  }

  /// Notes that this machine has the passphrase or the key file: it is no recipient any more once this machine is
  /// removed.
  ///
  /// One that may not write the header has joined all the same: what it writes, if anything, tells. One that has not
  /// joined, such as a CI job with its settings in the environment, is not listed.
  func noteHolder(_ opened: EpochKeys.Opened, _ session: Session, joinedAt time: Int64? = nil) {
    var opened = opened
    for _ in 0..<4 {
      do {
        guard opened.means != .machine, try copies.read(SettingsFile.fileName, in: copies.folder) != nil else { return }
        let object = try rawHeader(session).object
        opened = try followed(object.bytes, from: opened, .forbidden)
        guard var header = opened.header else { return }
        var roster = try opened.roster()
        guard roster.note(try notedIdentity().id, holding: opened.means, at: time) else { return }
        roster.generation += 1
        try header.put(roster, opened.current, entropy)
        if try replace(header, object.version, opened, session) { return }
      } catch {
        return
      }
    }
  }

  /// Compares an engine that this machine has not seen before with what the header says of it.
  private func compare(_ opened: EpochKeys.Opened, _ session: Session) throws(KeyringFailure) {
    guard opened.header != nil else { return }
    let roster = try opened.roster()
    guard roster.objects > 0 else { return }
    let changes = try ask { () throws(SharedStoreFailure) in try session.store.changes(session.places.accounts, 0) }
    let seal = seal(opened, session, .forbidden)
    var highest: Int64 = 0
    for object in changes.objects where session.places.account(at: object.key) != nil {
      // As it was counted: contents that are against the rules have a generation, too.
      highest = max(highest, try seal.generation(object.bytes, at: object.key))
    }
    guard session.places.accountCount(in: changes.keys) >= roster.objects, highest >= roster.highest else {
      throw .rolledBack
    }
  }

  /// Asks the engine how it is.
  func report() throws(KeyringFailure) -> SharedKeyring.Report {
    guard let settings = try settings() else { throw .notJoined }
    let session = try session(settings.kind)
    let isChangingKey = try isChangingKey(session)
    var lock: KeyringFailure?
    var isRolledBack = false
    // Whether the header goes on from this machine's own, if the key is available without asking anyone.
    do { try seal(session, .forbidden).keys.confirm() } catch {
      isRolledBack = error == .rolledBack
      guard isRolledBack || error.isLocked else { throw error }
    }
    // Brings removals and older objects to light.
    do { _ = try fetchAll(session, .forbidden) } catch {
      if error.isLocked { lock = error } else if error != .rolledBack || !isRolledBack { throw error }
    }
    let known = try copies.known()
    let changes = try ask { () throws(SharedStoreFailure) in
      try session.store.changes(session.places.accounts, known?.standing.revision ?? 0)
    }
    let copied = Set(try copies.accounts())
    let removed = Set(try copies.removals()).subtracting(copied)
    let there = Set(changes.keys.compactMap(session.places.account(at:))).subtracting(removed)
    return SharedKeyring.Report(
      standing: changes.standing,
      isRolledBack: isRolledBack || hasGoneBack(changes.standing, known) || hasRollbacks,
      accounts: there.count,
      pending: try copies.pendingAccounts().sorted { $0.description < $1.description },
      copiesAlone: copied.subtracting(there).sorted { $0.description < $1.description },
      isChangingKey: isChangingKey,
      lock: lock
    )
  }
}
