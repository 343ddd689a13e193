import AcctCrypto
import AcctModel
import AcctPorts
import FleetPorts
import PrivateFiles
import Vault

/// A keyring in use: its settings, its engine, and the keys of its objects there.
struct Session: Sendable {
  let settings: SharedKeyringSettings
  let store: SharedStore
  let places: Places

  init(_ settings: SharedKeyringSettings, _ store: SharedStore) {
    self.settings = settings
    self.store = store
    places = Places(name: settings.name)
  }
}

extension SharedVault {
  /// The settings in force: those of the environment, else the stored ones.
  func settings() throws(KeyringFailure) -> SharedKeyringSettings? {
    if let settings = try SharedKeyringSettings.named(by: environment) { return settings }
    guard let contents = try copies.read(SettingsFile.fileName, in: copies.folder) else { return nil }
    guard let settings = SettingsFile.parse(contents) else {
      let path = copies.folder.path(of: SettingsFile.fileName)
      throw SettingsFile.isNewer(contents) ? .newer(part: path) : .failed(reason: "\(path) is damaged")
    }
    return settings
  }

  /// The keyring of a kind, with the settings in force.
  ///
  /// - Throws: ``KeyringFailure/notJoined``; ``KeyringFailure/failed(reason:)`` if the copies are another keyring's.
  func session(_ kind: Keyring.Kind) throws(KeyringFailure) -> Session {
    guard let settings = try settings(), settings.kind == kind else { throw .notJoined }
    return try session(settings)
  }

  /// The keyring that settings lead to.
  func session(_ settings: SharedKeyringSettings) throws(KeyringFailure) -> Session {
    try checkCopies(of: settings)
    return Session(settings, store(settings))
  }

  /// Checks that the copies on this machine, if there are any, are of the keyring that settings lead to.
  func checkCopies(of settings: SharedKeyringSettings) throws(KeyringFailure) {
    guard let known = try copies.known(), !known.isAt(settings) else { return }
    throw .failed(
      reason: "this machine shares the keyring \(known.name) on \(known.kind.rawValue); "
        + "it has to leave that one before it can use another"
    )
  }

  /// The keyring's header: this machine's copy, which works while the engine is away, else the engine's own.
  func header(_ session: Session) throws(KeyringFailure) -> SharedHeader {
    if let contents = try copies.read(Self.headerName, in: copies.folder), try copies.known() != nil {
      return try parse(contents)
    }
    let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(session.places.header) }
    guard let object = reading.object else { throw .notJoined }
    let header = try parse(object.bytes)
    try adopt(object.bytes, reading.standing, session.settings)
    return header
  }

  /// Keeps a header and which engine it is from.
  func adopt(
    _ contents: [UInt8],
    _ standing: SharedStore.Standing,
    _ settings: SharedKeyringSettings
  ) throws(KeyringFailure) {
    try copies.alone { () throws(KeyringFailure) in
      try copies.write(Self.headerName, contents, in: copies.folder, surviving: true)
      guard try copies.known() == nil else { return }
      try copies.keep(KnownKeyring(kind: settings.kind, name: settings.name, standing: standing, cursor: 0))
    }
  }

  static let headerName = "header"

  func parse(_ header: [UInt8]) throws(KeyringFailure) -> SharedHeader {
    do { return try SharedHeader(parsing: header) } catch {
      throw error.isNewer ? .newer(part: "the shared keyring") : .damagedHeader(error.reason)
    }
  }

  /// Opens the keyring.
  func seal(_ session: Session, _ interaction: Interaction, keeping: Bool = true) throws(KeyringFailure) -> Seal {
    seal(try opened(session, interaction, keeping: keeping), session, interaction)
  }

  /// The seal of a keyring that is open.
  func seal(_ opened: EpochKeys.Opened, _ session: Session, _ interaction: Interaction) -> Seal {
    let keys = EpochKeys(opened) { [self] opened throws(KeyringFailure) in
      try renewed(opened, session, interaction)
    }
    return Seal(keys, entropy, check: check, writer: { [self] in writer(opened) })
  }

  /// Opens the keys of a header.
  ///
  /// - Parameters:
  ///   - header: The header.
  ///   - machine: This machine, if it is not the one that it is noted as.
  ///   - interaction: Decides if a person may be asked.
  ///   - keeping: `true` to store the key afterwards.
  ///   - means: The passphrase or key file; this machine's without it.
  /// - Returns: The keys of its epochs.
  /// - Throws: As ``SharedKeyOpener/open(_:as:_:_:keeping:)``.
  func opened(
    _ header: SharedHeader,
    as machine: MachineIdentity? = nil,
    _ interaction: Interaction,
    keeping: Bool = true,
    by means: SharedKeyOpener? = nil
  ) throws(KeyringFailure) -> EpochKeys.Opened {
    let opener = means ?? self.opener
    switch header {
    case .former(let header):
      let key = try opener.open(header, interaction, keeping: keeping)
      return EpochKeys.Opened(current: EpochKey(epoch: 1, key: key))
    case .epochs(let header):
      let machine = if let machine { machine } else { try identity() }
      func open(_ opener: SharedKeyOpener, _ interaction: Interaction) throws(KeyringFailure) -> EpochKeys.Opened {
        try opener.open(
          header,
          as: machine,
          { place throws(KeyringFailure) in try machineKey(place, interaction, keeping ? .full : .brief) },
          interaction,
          keeping: keeping
        )
      }
      do throws(KeyringFailure) { return try open(opener, interaction) } catch {
        guard case .locked = error, let successor else { throw error }
        let opened: EpochKeys.Opened
        do throws(KeyringFailure) { opened = try open(successor.opener, .forbidden) } catch .locked { throw error }
        self.successor?.hasOpened = true
        return opened
      }
    }
  }

  /// Asks the engine, and translates its failure.
  func ask<Answer>(_ question: () throws(SharedStoreFailure) -> Answer) throws(KeyringFailure) -> Answer {
    do { return try question() } catch { throw .engine(error) }
  }
}
