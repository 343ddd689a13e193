import AcctCrypto
import AcctModel
import AcctPorts
import FleetPorts
import PrivateFiles
import Synchronization
import Vault

extension SharedVault {
  /// Ends a change of the key that has begun, by this process or by one that was interrupted.
  ///
  /// - Returns: `nil` if none has.
  func finish(
    _ session: Session,
    _ interaction: Interaction,
    _ begun: EpochKeys.Opened? = nil
  ) throws(SharedMembershipFailure) -> Rekeyed? {
    var result = Rekeyed(objects: 0)
    let start = if let begun { begun } else { try latest(session, interaction).opened }
    guard start.isChanging else { return nil }
    for _ in 0..<16 {
      let survey = try whole { () throws(KeyringFailure) in try sealAnew(start, session) }
      guard let survey else { throw .stillWriting }
      if let account = survey.later.first { throw .laterVersion(account) }
      result.objects += survey.sealed
      result.damaged = survey.damaged
      let (opened, version) = try latest(from: start, session, interaction)
      guard var header = opened.header, header.epoch == start.current.epoch, header.isChanging
      else { return result }
      var roster = try whole { () throws(KeyringFailure) in try opened.roster() }
      roster.objects = Int64(survey.objects)
      roster.highest = survey.highest
      roster.generation += 1
      header.isChanging = false
      do { try header.put(roster, opened.current, entropy) } catch { throw .keyring(KeyringFailure(error)) }
      if try replace(header, version, opened, session) { return result }
    }
    throw .keyring(.engine(.timedOut))
  }

  /// `true` if the engine's header says that a change of the key has begun and not ended.
  ///
  /// The key is not asked for, so that is only what the engine says: enough for a person who is told of it.
  func isChangingKey(_ session: Session) throws(KeyringFailure) -> Bool {
    let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(session.places.header) }
    guard let object = reading.object, case .epochs(let header) = try parse(object.bytes) else { return false }
    return header.isChanging
  }

  /// The engine's header, which goes on from one that this process has made or opened.
  private func latest(
    from before: EpochKeys.Opened,
    _ session: Session,
    _ interaction: Interaction
  ) throws(SharedMembershipFailure) -> (opened: EpochKeys.Opened, version: Int64) {
    try whole { () throws(KeyringFailure) in
      let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(session.places.header) }
      guard let object = reading.object else { throw .rolledBack }
      return (try followed(object.bytes, from: before, interaction), object.version)
    }
  }

  private struct Survey {
    var sealed = 0
    var objects = 0
    var highest: Int64 = 0
    var damaged: [AccountID] = []
    /// Objects of the former key that only a later version of acct can seal anew.
    var later: [AccountID] = []
  }

  /// The state of an object of a former key, which decides whether it can be sealed anew.
  private enum Remainder { case whole, damaged, ofLaterVersion }

  /// Seals every object of the former key anew, until a look at all of them finds none.
  ///
  /// - Returns: `nil` if there is always one more: a machine that has learnt of the change writes none.
  private func sealAnew(_ opened: EpochKeys.Opened, _ session: Session) throws(KeyringFailure) -> Survey? {
    let seal = seal(opened, session, .forbidden)
    seal.keys.assumeConfirmed()
    var survey = Survey()
    for _ in 0..<Self.looks {
      let left = try look(for: opened.current.epoch, seal, session, &survey)
      guard !left.isEmpty else { return survey }
      survey.sealed += try sealAnew(left, seal, session)
    }
    return nil
  }

  /// More than the writes that were under way when the header changed could need.
  private static let looks = 32

  /// Looks at all objects, and returns those that are still to be sealed with the key of an epoch.
  private func look(
    for epoch: Int64,
    _ seal: Seal,
    _ session: Session,
    _ survey: inout Survey
  ) throws(KeyringFailure) -> [SharedStore.Object] {
    var left: [SharedStore.Object] = []
    (survey.damaged, survey.later, survey.highest) = ([], [], 0)
    for prefix in [session.places.accounts, session.places.names] {
      let changes = try ask { () throws(SharedStoreFailure) in try session.store.changes(prefix, 0) }
      if prefix == session.places.accounts { survey.objects = session.places.accountCount(in: changes.keys) }
      for object in changes.objects {
        let isAccount = session.places.account(at: object.key) != nil
        let number = (try? Seal.epoch(of: object.bytes)) ?? 0
        // One of a later epoch is of another machine's change, which goes on from this one.
        if number >= epoch {
          if isAccount, number == epoch {
            survey.highest = max(survey.highest, try seal.generation(object.bytes, at: object.key))
          }
          continue
        }
        let remainder = try remainder(of: object, seal, session)
        if remainder == .whole { left.append(object) }
        guard let id = session.places.account(at: object.key) else { continue }
        if remainder == .damaged { survey.damaged.append(id) }
        if remainder == .ofLaterVersion { survey.later.append(id) }
      }
    }
    return left
  }

  private func remainder(
    of object: SharedStore.Object,
    _ seal: Seal,
    _ session: Session
  ) throws(KeyringFailure) -> Remainder {
    guard let id = session.places.account(at: object.key) else {
      // What is no name's object, or lies about, can't hinder the change, and means nothing afterwards.
      let isName = session.places.isName(object.key) && (try? seal.holder(object.bytes, at: object.key)) != nil
      return isName ? .whole : .damaged
    }
    var isAuthentic = false
    let contents: SharedObject
    do throws(Seal.Unopened) {
      _ = try seal.open(object.bytes, at: object.key)
      isAuthentic = true
      contents = try seal.contents(object.bytes, at: object.key)
    } catch {
      switch error {
      case .damaged(.unknownVersion) where isAuthentic: return .ofLaterVersion
      case .damaged: return .damaged
      case .keyring(let failure): throw failure
      case .libraryFailed(let error): throw KeyringFailure(error)
      }
    }
    // Sealed anew, one that the engine has put back would be the latest, and the true one would open no more. Another
    // process of this machine may have seen a later one since: it is asked again.
    let (copy, seen) = try copies.seen(of: id)
    let found = OpenedObject(id: id, contents: contents, object: object)
    if seen.isContradicted(by: found, besides: copy), try look(session, seal, id).isRolledBack { throw .rolledBack }
    return .whole
  }

  /// Seals these objects anew, on several connections where there are many.
  ///
  /// - Returns: How many were sealed; one that another machine has written since is not.
  private func sealAnew(
    _ objects: [SharedStore.Object],
    _ seal: Seal,
    _ session: Session
  ) throws(KeyringFailure) -> Int {
    struct Progress {
      var next = 0
      var count = 0
      var failure: KeyringFailure?
    }
    let progress = Mutex(Progress())
    @Sendable func work(_ store: SharedStore) {
      while true {
        let index = progress.withLock { progress -> Int? in
          guard progress.next < objects.count, progress.failure == nil else { return nil }
          defer { progress.next += 1 }
          return progress.next
        }
        guard let index else { return }
        do throws(KeyringFailure) {
          if try sealAnew(objects[index], seal, store, session.places) { progress.withLock { $0.count += 1 } }
        } catch {
          progress.withLock { $0.failure = error }
        }
      }
    }
    let others = min(Self.connections - 1, objects.count / 16)
    let isFirst = Mutex(true)
    withWorkerThreads(others) {
      if isFirst.withLock({ first in
        defer { first = false }
        return first
      }) {
        return work(session.store)
      }
      let store = connect(session.settings).bounded(session.places)
      work(store)
      store.end()
    }
    let end = progress.withLock { $0 }
    if let failure = end.failure { throw failure }
    return end.count
  }

  /// A cluster of etcd writes what comes at once in one go.
  private static let connections = 8

  /// Seals an object anew; returns `false` if another machine has written it since.
  private func sealAnew(
    _ object: SharedStore.Object,
    _ seal: Seal,
    _ store: SharedStore,
    _ places: Places
  ) throws(KeyringFailure) -> Bool {
    let bytes: [UInt8]
    if places.account(at: object.key) != nil {
      guard let contents = try? seal.contents(object.bytes, at: object.key) else { return false }
      // The lock of a renewal stays in it: its machine has sent, or is about to.
      bytes = try seal.sealedAnew(contents, at: object.key)
    } else {
      bytes = try seal.sealed(try seal.holder(object.bytes, at: object.key), at: object.key)
    }
    return try ask { () throws(SharedStoreFailure) in try store.swap(object.key, bytes, object.version) } != nil
  }

  /// Looks at the header once more after an account was made: a machine that changes the key may have looked at all
  /// objects before this one was there.
  ///
  /// The account is stored all the same where the engine can't be asked.
  func settleEpoch(of account: SharedAccount, _ session: Session, _ seal: Seal) throws(KeyringFailure) {
    let before = seal.keys.opened.current.epoch
    do { try seal.keys.confirm() } catch {
      guard case .engine = error else { throw error }
      return
    }
    guard seal.keys.opened.current.epoch != before else { return }
    let places = [session.places.account(account.id), session.places.name(try seal.digest(of: account.name))]
    for place in places {
      let object = try ask { () throws(SharedStoreFailure) in try session.store.get(place) }.object
      guard let object, (try? Seal.epoch(of: object.bytes)) == before else { continue }
      // Its own, which it has just written.
      _ = try sealAnew(object, seal.local, session.store, session.places)
    }
  }
}
