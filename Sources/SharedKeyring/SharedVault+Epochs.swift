import AcctCrypto
import AcctModel
import Secrets
import AcctPorts
import StrictJSON
import Vault

/// A header that has changed on the engine, and the keys of the epochs before it.
extension SharedVault {
  /// Asks the engine for its header, and follows it if it goes on from the one in use.
  ///
  /// - Throws: ``KeyringFailure/rolledBack`` for an earlier one; ``KeyringFailure/removedMachine(by:at:)``.
  func renewed(
    _ opened: EpochKeys.Opened,
    _ session: Session,
    _ interaction: Interaction
  ) throws(KeyringFailure) -> EpochKeys.Opened {
    let known = try copies.known()
    let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(session.places.header) }
    guard !hasGoneBack(reading.standing, known), let object = reading.object else { throw .rolledBack }
    return try followed(object.bytes, from: opened, interaction)
  }

  /// Opens a header of the engine that goes on from the one in use, and keeps it.
  func followed(
    _ contents: [UInt8],
    from former: EpochKeys.Opened,
    _ interaction: Interaction
  ) throws(KeyringFailure) -> EpochKeys.Opened {
    guard case .epochs(let header) = try parse(contents) else {
      guard former.header == nil else { throw .rolledBack }
      return former
    }
    guard header != former.header else { return former }
    if let before = former.header, !header.isLater(than: before) { throw .rolledBack }
    let opened: EpochKeys.Opened
    if former.header?.epoch == header.epoch {
      guard header.isAuthentic(former.current) else {
        throw .damagedHeader("no machine with its key has made its header")
      }
      opened = EpochKeys.Opened(
        current: former.current,
        previous: header.previous(former.current),
        header: header,
        means: former.means
      )
    } else {
      opened = try self.opened(.epochs(header), interaction)
      guard header.epoch > former.current.epoch + 1 || header.follows(former.current, opened.current) else {
        throw .damagedHeader("no machine with its former key has changed its key")
      }
    }
    if former.header != nil, try opened.roster().generation <= former.roster().generation { throw .rolledBack }
    try keep(opened, contents, after: former)
    return opened
  }

  /// Keeps a header, unless another process of this machine has a later one, and the keys of the epochs before it: this
  /// machine's copies and pending answers may be of any.
  func keep(
    _ opened: EpochKeys.Opened,
    _ contents: [UInt8],
    after former: EpochKeys.Opened
  ) throws(KeyringFailure) {
    guard let header = opened.header else { return }
    try copies.alone { () throws(KeyringFailure) in
      if let local = try copies.read(Self.headerName, in: copies.folder), case .epochs(let now) = try parse(local) {
        guard header.isLater(than: now) else { return }
        guard let roster = now.roster(opened.current) else {
          return try write(contents, opened, after: former)
        }
        guard try opened.roster().generation > roster.generation else { return }
      }
      try write(contents, opened, after: former)
    }
  }

  private func write(
    _ contents: [UInt8],
    _ opened: EpochKeys.Opened,
    after former: EpochKeys.Opened
  ) throws(KeyringFailure) {
    // The keys first: a process that is killed in between has the header that it had.
    if opened.current.epoch != former.current.epoch {
      try keepFormer(try formerKeys(of: former) + [former.current, opened.previous].compactMap(\.self), under: opened)
    }
    try copies.write(Self.headerName, contents, in: copies.folder, surviving: true)
    if opened.current.epoch != former.current.epoch {
      try copies.remove(Self.formerName(former.current.epoch), in: copies.folder)
      if let header = former.header { _ = opener.forget(header) }
    }
  }

  static func formerName(_ epoch: Int64) -> String { "former-\(epoch)" }
  /// The most epochs whose objects this machine can have left.
  private static let formerLimit = 64

  /// Keeps the keys of earlier epochs under the key of this one.
  func keepFormer(_ keys: [EpochKey], under opened: EpochKeys.Opened) throws(KeyringFailure) {
    let name = Self.formerName(opened.current.epoch)
    var kept: [Int64: EpochKey] = [:]
    for key in keys where key.epoch != opened.current.epoch { kept[key.epoch] = key }
    let latest = kept.values.sorted { $0.epoch > $1.epoch }.prefix(Self.formerLimit)
    let plaintext = Secret(joining: latest.map(\.key))
    let nonce = entropy.bytes(AESGCM.nonceCount)
    let sealed: [UInt8]
    do {
      sealed = try AESGCM.seal(
        plaintext,
        key: HMACSHA256.derivedKey("acct keyring 3 former", from: opened.current.key),
        nonce: nonce,
        associatedData: Array(name.utf8)
      )
    } catch {
      throw KeyringFailure(error)
    }
    let json: JSON = [
      "format": "acct-former", "epochs": .array(latest.map { JSON($0.epoch) }),
      "keys": .string(hex(nonce + sealed)),
    ]
    try copies.write(name, json.serialized(), in: copies.folder, surviving: true)
  }

  /// The keys of earlier epochs that this machine has kept; none where the file is damaged.
  func formerKeys(of opened: EpochKeys.Opened) throws(KeyringFailure) -> [EpochKey] {
    let name = Self.formerName(opened.current.epoch)
    guard let contents = try copies.read(name, in: copies.folder),
      let members = (try? JSON(parsing: contents, maximumBytes: 65_536))?.objectValue,
      let epochs = members["epochs"]?.arrayValue?.compactMap({ $0.numberValue?.integer }),
      let text = members["keys"]?.stringValue, let sealed = bytes(hex: text, count: text.utf8.count / 2),
      sealed.count == AESGCM.nonceCount + epochs.count * AESGCM.keyCount + AESGCM.tagCount
    else { return [] }
    let plaintext = try? AESGCM.open(
      Array(sealed[AESGCM.nonceCount...]),
      key: HMACSHA256.derivedKey("acct keyring 3 former", from: opened.current.key),
      nonce: Array(sealed[..<AESGCM.nonceCount]),
      associatedData: Array(name.utf8)
    )
    guard let plaintext else { return [] }
    return epochs.enumerated().map { index, epoch in
      let start = index * AESGCM.keyCount
      return EpochKey(
        epoch: epoch,
        key: plaintext.withBytes { Secret($0.extracting(start..<(start + AESGCM.keyCount))) }
      )
    }
  }
}
