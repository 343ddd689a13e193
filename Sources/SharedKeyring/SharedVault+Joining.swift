import AcctModel
import AcctPorts
import VaultKey

extension SharedVault {
  /// Makes a keyring on the engine, and keeps the settings. One that is there is joined if the key opens it.
  func create(
    _ settings: SharedKeyringSettings,
    _ interaction: Interaction
  ) throws(KeyringFailure) {
    try checkCopies(of: settings)
    let session = Session(settings, store(settings))
    try ask { () throws(SharedStoreFailure) in try session.store.prepare() }
    let place = session.places.header
    var reading = try ask { () throws(SharedStoreFailure) in try session.store.get(place) }
    if reading.object == nil {
      // A person's time and scrypt's are spent before anything is written.
      let header = try opener.make(interaction).serialized()
      do { _ = try session.store.swap(place, header, nil) } catch {
        guard let now = try? session.store.get(place), now.object != nil else {
          throw .engine(error)
        }
      }
      // Another machine may have been faster; its keyring is used, if the key opens it.
      reading = try ask { () throws(SharedStoreFailure) in try session.store.get(place) }
    }
    guard let object = reading.object else {
      throw .failed(reason: "the engine does not have what was just stored")
    }
    try enter(session, object, reading.standing, interaction)
  }

  /// Joins the keyring that another machine has made, and keeps the settings.
  func join(
    _ settings: SharedKeyringSettings,
    _ interaction: Interaction
  ) throws(KeyringFailure) {
    try checkCopies(of: settings)
    let session = Session(settings, store(settings))
    let reading = try ask { () throws(SharedStoreFailure) in
      try session.store.get(session.places.header)
    }
    guard let object = reading.object else {
      throw .failed(reason: "there is no keyring \(settings.name) on the engine")
    }
    try enter(session, object, reading.standing, interaction)
  }

  /// Keeps the settings of a keyring that the key opens, last of all.
  private func enter(
    _ session: Session,
    _ header: SharedStore.Object,
    _ standing: SharedStore.Standing,
    _ interaction: Interaction
  ) throws(KeyringFailure) {
    let parsed = try parse(header.bytes)
    _ = try opener.open(parsed, interaction)
    guard !hasGoneBack(standing, try copies.known()) else { throw .rolledBack }
    try adopt(parsed, header.bytes, standing, session.settings)
    try copies.write(
      SettingsFile.fileName,
      SettingsFile.serialized(session.settings),
      in: copies.folder,
      surviving: true
    )
  }

  /// Deletes the settings and this machine's copies; the engine keeps everything.
  ///
  /// - Throws: ``KeyringFailure/failed(reason:)`` while an answer of a server is still to be stored.
  func leave() throws(KeyringFailure) {
    try copies.alone { () throws(KeyringFailure) in
      guard try copies.pendingAccounts().isEmpty else {
        throw .failed(reason: "an answer of a server is still to be stored")
      }
      // What tells where the keyring is goes first: without it, copies are never taken for another one's.
      for name in [SettingsFile.fileName, Self.headerName] {
        try copies.remove(name, in: copies.folder)
      }
      for id in try copies.accounts() { try copies.remove(id) }
      try copies.remove(KnownKeyring.fileName, in: copies.folder)
    }
    sightings.removeAll()
    forget()
  }

  /// Accepts the engine as it is now: its header, its accounts, and how far it is.
  ///
  /// Answers that are still to be stored stay, and are stored over what the engine has.
  func trust(_ interaction: Interaction) throws(KeyringFailure) {
    guard let settings = try settings() else { throw .notJoined }
    try checkCopies(of: settings)
    let session = Session(settings, store(settings))
    let reading = try ask { () throws(SharedStoreFailure) in
      try session.store.get(session.places.header)
    }
    guard let header = reading.object else {
      throw .failed(reason: "there is no keyring \(settings.name) on the engine")
    }
    let parsed = try parse(header.bytes)
    let seal = Seal(key: try opener.open(parsed, interaction), entropy: entropy)
    let changes = try ask { () throws(SharedStoreFailure) in
      try session.store.changes(session.places.accounts, 0)
    }
    try copies.alone { () throws(KeyringFailure) in
      for object in changes.objects {
        guard let id = session.places.account(at: object.key) else { continue }
        try rebase(id, onto: object, session, seal)
        try copies.replace(CopyFile(object), of: id)
      }
      for id in try copies.accounts() where !changes.keys.contains(session.places.account(id)) {
        try copies.remove(id)
      }
      try copies.write(Self.headerName, header.bytes, in: copies.folder, surviving: true)
      // The versions of an engine that was restored are used again.
      sightings.removeAll()
      try copies.keep(
        KnownKeyring(
          kind: settings.kind,
          name: settings.name,
          standing: changes.standing,
          cursor: changes.objects.map(\.version).max() ?? 0
        )
      )
    }
    isConfirmed = true
  }

  /// Makes a pending answer one that replaces what a restored engine has.
  private func rebase(
    _ id: AccountID,
    onto object: SharedStore.Object,
    _ session: Session,
    _ seal: Seal
  ) throws(KeyringFailure) {
    guard var file = try copies.pendingAnswer(of: id) else { return }
    let place = session.places.account(id)
    let theirs = try seal.object(object.bytes, at: place)
    let base = try seal.object(file.base.bytes, at: place)
    let mine = try seal.object(file.bytes, at: place)
    var wanted = SharedObject.merged(
      base: base,
      mine: mine,
      theirs: theirs,
      replacing: file.replacing
    )
    wanted.lock = nil
    file.base = CopyFile(object)
    file.bytes = try seal.sealed(wanted, at: place)
    try copies.keepPending(file, of: id)
  }

  /// Asks the engine how it is.
  func report() throws(KeyringFailure) -> SharedKeyring.Report {
    guard let settings = try settings() else { throw .notJoined }
    let session = try session(settings.kind)
    let known = try copies.known()
    let changes = try ask { () throws(SharedStoreFailure) in
      try session.store.changes(session.places.accounts, known?.standing.revision ?? 0)
    }
    return SharedKeyring.Report(
      standing: changes.standing,
      isRolledBack: hasGoneBack(changes.standing, known),
      accounts: changes.keys.count,
      pending: try copies.pendingAccounts().sorted { $0.description < $1.description }
    )
  }
}
