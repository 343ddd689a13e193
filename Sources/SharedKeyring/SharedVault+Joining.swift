import AcctModel
import AcctPorts
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
      let header = try opener.make(holder: try notedIdentity().id, interaction).serialized()
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
  func enter(
    _ session: Session,
    _ header: SharedStore.Object,
    _ standing: SharedStore.Standing,
    _ interaction: Interaction
  ) throws(KeyringFailure) {
    let opened = try opened(try parse(header.bytes), interaction)
    guard !hasGoneBack(standing, try copies.known()) else { throw .rolledBack }
    if let contents = try copies.read(Self.headerName, in: copies.folder), try copies.known() != nil {
      // It goes on from what this machine knows.
      _ = try followed(header.bytes, from: try self.opened(try parse(contents), interaction), interaction)
    } else {
      try compare(opened, session)
      try adopt(header.bytes, standing, session.settings)
    }
    try copies.write(
      SettingsFile.fileName,
      SettingsFile.serialized(session.settings),
      in: copies.folder,
      surviving: true
    )
  }

  /// Compares an engine that this machine has not seen before with what the header says of it.
  private func compare(_ opened: EpochKeys.Opened, _ session: Session) throws(KeyringFailure) {
    guard opened.header != nil else { return }
    let roster = try opened.roster()
    guard roster.objects > 0 else { return }
    let changes = try ask { () throws(SharedStoreFailure) in try session.store.changes(session.places.accounts, 0) }
    let seal = seal(opened, session, .forbidden)
    var highest: Int64 = 0
    for object in changes.objects {
      guard let id = session.places.account(at: object.key) else { continue }
      highest = max(highest, try seal.objectIfWhole(object.bytes, of: id, at: object.key)?.generation ?? 0)
    }
    guard changes.keys.count >= roster.objects, highest >= roster.highest else { throw .rolledBack }
  }

  /// Asks the engine how it is.
  func report() throws(KeyringFailure) -> SharedKeyring.Report {
    guard let settings = try settings() else { throw .notJoined }
    let session = try session(settings.kind)
    // Brings removals and older objects to light, if the key is available without asking anyone.
    do { _ = try fetchAll(session, .forbidden) } catch { guard case .locked = error else { throw error } }
    let known = try copies.known()
    let changes = try ask { () throws(SharedStoreFailure) in
      try session.store.changes(session.places.accounts, known?.standing.revision ?? 0)
    }
    let copied = Set(try copies.accounts())
    let removed = Set(try copies.removals()).subtracting(copied)
    let there = Set(changes.keys.compactMap(session.places.account(at:))).subtracting(removed)
    return SharedKeyring.Report(
      standing: changes.standing,
      isRolledBack: hasGoneBack(changes.standing, known) || hasRollbacks,
      accounts: there.count,
      pending: try copies.pendingAccounts().sorted { $0.description < $1.description },
      copiesAlone: copied.subtracting(there).sorted { $0.description < $1.description }
    )
  }
}
