import AcctCrypto
import AcctModel
import Secrets
import AcctPorts
import FleetPorts
import Vault

/// A header that has changed on the engine.
///
/// This machine follows one alone whose maker had the key that this machine has: the header's chain of keys leads back to
/// it. So no machine that was removed before this one looked last can show it a header of its own.
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
    let renewed = try followed(object.bytes, from: opened, interaction)
    if renewed.current.epoch != opened.current.epoch { noteHolder(renewed, session) }
    return renewed
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
      opened = EpochKeys.Opened(current: former.current, header: header, means: former.means)
    } else {
      opened = try self.opened(.epochs(header), interaction)
    }
    guard opened.key(of: former.current.epoch) == former.current else { throw .strangeHeader }
    let roster = try opened.roster()
    if former.header?.epoch == header.epoch, try roster.generation <= former.roster().generation { throw .rolledBack }
    try keep(opened, contents)
    return opened
  }

  /// An object as it is to be opened: read once more if the key has changed since it was read, and all of the change was
  /// made before the header was asked for.
  ///
  /// One that stays as it is was written with a key that counts no more.
  func settled(
    _ object: SharedStore.Object,
    _ session: Session,
    _ seal: Seal
  ) throws(KeyringFailure) -> SharedStore.Object? {
    var object = object
    for _ in 0..<8 {
      guard try seal.isOutdated(object.bytes) else { break }
      let key = object.key
      let now = try ask { () throws(SharedStoreFailure) in try session.store.get(key) }.object
      guard let now, now.version != object.version else { return now }
      object = now
    }
    return object
  }

  /// Opens the header of this machine; the engine's, where the passphrase or the key file has changed since.
  func opened(
    _ session: Session,
    _ interaction: Interaction,
    keeping: Bool = true
  ) throws(KeyringFailure) -> EpochKeys.Opened {
    let header = try header(session)
    let failure: KeyringFailure
    do throws(KeyringFailure) { return try opened(header, .forbidden, keeping: keeping) } catch { failure = error }
    guard case .locked = failure else { throw failure }
    // Without anything new to try, the engine is not asked.
    let hasSecret = try opener.hasSecret()
    guard hasSecret || interaction == .allowed, try !isMember(of: header), let later = later(than: header, session)
    else {
      guard interaction == .allowed else { throw failure }
      return try opened(header, interaction, keeping: keeping)
    }
    if hasSecret { return try reopened(later, after: header, opener, session, keeping: keeping) }
    // The engine may show anything: what a person enters is tried on this machine's own header first.
    for attempt in 0..<3 {
      let means = opener.entered(try opener.opener.asked(interaction, isRepeated: attempt > 0))
      do throws(KeyringFailure) { return try opened(header, .forbidden, keeping: keeping, by: means) } catch {
        guard case .locked = error else { throw error }
      }
      do throws(KeyringFailure) { return try reopened(later, after: header, means, session, keeping: keeping) } catch {
        guard case .locked = error else { throw error }
      }
    }
    throw .locked(reason: "the passphrase is wrong", openedBy: .otherPassphrase(file: nil))
  }

  /// `true` if this machine opens a header by a key of its own.
  private func isMember(of header: SharedHeader) throws(KeyringFailure) -> Bool {
    guard case .epochs(let header) = header, let own = try identity() else { return false }
    return header.hasMember(own)
  }

  /// The engine's header, if it is one that may take the place of this machine's.
  private func later(than local: SharedHeader, _ session: Session) -> KeyringHeader? {
    // An engine that is away leaves this machine with what it has.
    guard let reading = try? session.store.get(session.places.header), let known = try? copies.known(),
      !hasGoneBack(reading.standing, known), let object = reading.object,
      case .epochs(let header) = try? parse(object.bytes), .epochs(header) != local
    else { return nil }
    if case .epochs(let local) = local, !header.isLater(than: local) { return nil }
    return header
  }

  /// Opens a header of the engine that goes on from one that this machine has and can't open, and keeps it.
  private func reopened(
    _ header: KeyringHeader,
    after local: SharedHeader,
    _ means: SharedKeyOpener,
    _ session: Session,
    keeping: Bool
  ) throws(KeyringFailure) -> EpochKeys.Opened {
    let opened = try opened(.epochs(header), .forbidden, keeping: keeping, by: means)
    guard try goes(opened, onFrom: local) else { throw .strangeHeader }
    try keep(opened, header.serialized())
    noteHolder(opened, session)
    return opened
  }

  /// `true` if the one who made a header had the key of this machine's, and no later one was put back.
  ///
  /// A former header that a passphrase opens has nothing in it to compare a key with: it is opened itself.
  func goes(_ opened: EpochKeys.Opened, onFrom local: SharedHeader) throws(KeyringFailure) -> Bool {
    guard case .former(.passphrase) = local else { return try opened.goes(onFrom: local) }
    do throws(KeyringFailure) {
      return opened.key(of: 1) == (try self.opened(local, .forbidden, keeping: false)).current
    } catch {
      guard error.isLocked else { throw error }
      return false
    }
  }

  /// Keeps a header, unless another process of this machine has a later one.
  func keep(_ opened: EpochKeys.Opened, _ contents: [UInt8]) throws(KeyringFailure) {
    guard let header = opened.header else { return }
    try copies.alone { () throws(KeyringFailure) in
      var former: SharedHeader?
      if let local = try copies.read(Self.headerName, in: copies.folder) {
        let now = try parse(local)
        former = now
        if case .epochs(let now) = now {
          guard header.isLater(than: now) else { return }
          if now.epoch == header.epoch {
            guard try opened.roster().generation > now.roster(opened.current)?.generation ?? 0 else { return }
            former = nil
          }
        }
      }
      try copies.write(Self.headerName, contents, in: copies.folder, surviving: true)
      if let former { _ = opener.forget(former) }
    }
  }
}

extension EpochKeys.Opened {
  /// `true` if the one who made this header had the key of an earlier one, and no later one was put back.
  func goes(onFrom local: SharedHeader) throws(KeyringFailure) -> Bool {
    switch local {
    case .former(.keyFile(let local)): return key(of: 1).map { local.isOf($0.key) } ?? false
    // It has nothing to compare a key with.
    case .former(.passphrase): return false
    case .epochs(let local):
      guard let key = key(of: local.epoch), local.isAuthentic(key) else { return false }
      guard header?.epoch == local.epoch else { return true }
      return try roster().generation > local.roster(key)?.generation ?? 0
    }
  }
}

extension KeyringFailure {
  /// A header whose maker did not have this machine's key, or had it too long ago.
  static let strangeHeader = KeyringFailure.damagedHeader(
    "no machine that had its former key has changed it, or more than \(KeyringHeader.chainLimit) changes ago"
  )
}
