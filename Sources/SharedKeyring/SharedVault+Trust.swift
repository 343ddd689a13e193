import AcctModel
import AcctPorts
import FleetPorts
import Vault

extension SharedVault {
  /// Accepts the engine as it is now: its header, its accounts, and how far it is.
  ///
  /// Answers that are still to be stored stay, and are stored over the engine's objects. One that no key opens any
  /// more is set aside; it would keep its account from being used for ever.
  ///
  /// - Returns: The accounts and answers that do not open.
  func trust(_ interaction: Interaction) throws(KeyringFailure) -> SharedKeyring.Unopened {
    guard let settings = try settings() else { throw .notJoined }
    try checkCopies(of: settings)
    let session = Session(settings, store(settings))
    let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(session.places.header) }
    guard let header = reading.object else {
      throw .engine(.notPrepared(reason: "there is no keyring \(settings.name) on the engine"))
    }
    let opened = try opened(try parse(header.bytes), interaction)
    // Nothing is asked once more: by what this machine knows until then, the engine has gone back.
    let seal = Seal(EpochKeys(opened), entropy, check: check, writer: { [self] in writer(opened) })
    let former = try formerSeal(unlike: header.bytes)
    let changes = try ask { () throws(SharedStoreFailure) in try session.store.changes(session.places.accounts, 0) }
    let unopened = try copies.alone { () throws(KeyringFailure) in
      var unopened = SharedKeyring.Unopened()
      var objects: [AccountID: SharedStore.Object] = [:]
      try copies.forgetRemovals()
      for object in changes.objects {
        guard let id = session.places.account(at: object.key) else { continue }
        objects[id] = object
        if let opened = try seal.objectIfWhole(object.bytes, of: id, at: object.key) {
          if opened.isRemoved {
            try copies.noteRemoval(of: id, opened.generation, object.bytes)
          } else {
            try copies.replace(CopyFile(object, generation: opened.generation), of: id)
          }
        } else {
          unopened.accounts.append(id)
          try keepCopy(of: id, before: object, seal, former)
        }
      }
      for id in try copies.pendingAccounts() {
        // Another machine has removed it since: its answer is of no use.
        if try copies.removal(of: id) != nil {
          try copies.removePending(id)
          continue
        }
        let place = session.places.account(id)
        if try !rebase(id, onto: objects[id], at: place, seal, former) {
          unopened.answers[id] = try copies.setAside(id)
        }
      }
      for id in try copies.accounts() where !changes.keys.contains(session.places.account(id)) { try copies.remove(id) }
      try copies.write(Self.headerName, header.bytes, in: copies.folder, surviving: true)
      // The versions of an engine that was restored are used again.
      sightings.removeAll()
      try copies.keep(
        KnownKeyring(
          kind: settings.kind,
          name: settings.name,
          standing: changes.standing,
          // The next look returns every account, so that its file follows even if this process ends here.
          cursor: 0
        )
      )
      return unopened
    }
    isConfirmed = true
    forgetRollbacks()
    return unopened
  }

  /// Keeps a good copy of an object that does not open, as an earlier version of it: the copy must not speak against
  /// the engine, which was trusted.
  private func keepCopy(
    of id: AccountID,
    before object: SharedStore.Object,
    _ seal: Seal,
    _ former: Seal?
  ) throws(KeyringFailure) {
    guard var copy = try copies.copy(of: id) else { return }
    if let former, (try? seal.local.open(copy.bytes, at: object.key)) == nil,
      let contents = try former.local.objectIfWhole(copy.bytes, of: id, at: object.key)
    {
      // Nothing leads from the engine's key to that of the copy.
      copy.bytes = try seal.sealed(contents, at: object.key)
    }
    let version = min(copy.version, max(1, object.version - 1))
    try copies.replace(CopyFile(version: version, generation: 0, bytes: copy.bytes), of: id)
  }

  /// The seal for answers that were sealed while the keyring had another key; `nil` if the key is the same one, or is
  /// not available without asking anyone.
  private func formerSeal(unlike header: [UInt8]) throws(KeyringFailure) -> Seal? {
    guard let former = try copies.read(Self.headerName, in: copies.folder), former != header else { return nil }
    return localSeal(former)
  }

  /// The seal of a header that this machine has, if its key is available without asking anyone.
  private func localSeal(_ header: [UInt8]) -> Seal? {
    guard let header = try? SharedHeader(parsing: header),
      let opened = try? opened(header, .forbidden, keeping: false)
    else { return nil }
    return Seal(EpochKeys(opened), entropy, check: check)
  }

  /// Makes a pending answer one that replaces the object of a restored engine.
  ///
  /// - Returns: `true` if it opens.
  private func rebase(
    _ id: AccountID,
    onto object: SharedStore.Object?,
    at place: String,
    _ seal: Seal,
    _ former: Seal?
  ) throws(KeyringFailure) -> Bool {
    guard var file = try copies.readablePending(of: id),
      let answer = try answer(file, of: id, at: place, [seal, former].compactMap(\.self))
    else { return false }
    var (base, wanted) = answer
    var generation = base.generation
    file.earlier = []
    file.base.bytes = try seal.sealed(base, at: place)
    if let object {
      file.base.version = object.version
      let theirs = try seal.objectIfWhole(object.bytes, of: id, at: place)
      generation = theirs?.generation ?? generation
      if let theirs {
        wanted = SharedObject.merged(base: base, mine: wanted, theirs: theirs, replacing: file.replacing)
        base = theirs
        file.base.bytes = object.bytes
      }
      wanted.lock = nil
    }
    file.bytes = try seal.sealed(wanted, over: generation, at: place).bytes
    try copies.keepPending(file, of: id)
    return true
  }

  /// The two objects of an answer, by the first key that opens both.
  private func answer(
    _ file: PendingFile,
    of id: AccountID,
    at place: String,
    _ seals: [Seal]
  ) throws(KeyringFailure) -> (base: SharedObject, wanted: SharedObject)? {
    for seal in seals {
      if let base = try seal.local.objectIfWhole(file.base.bytes, of: id, at: place),
        let wanted = try seal.local.objectIfWhole(file.bytes, of: id, at: place)
      {
        return (base, wanted)
      }
    }
    return nil
  }

  /// Deletes the key in the kernel; the passphrase is asked for again.
  func lock() throws(KeyringFailure) {
    guard let contents = try copies.read(Self.headerName, in: copies.folder) else { throw .notJoined }
    let header: SharedHeader
    do { header = try SharedHeader(parsing: contents) } catch {
      throw error.isNewer
        ? .newer(part: "the shared keyring") : .failed(reason: "this machine's copy of its header is damaged")
    }
    let own = try identity()?.key
    let hasFileAlone =
      switch header {
      case .former(.keyFile): true
      case .former(.passphrase): false
      case .epochs(let header): !header.hasPassphrase && own == nil
      }
    guard !hasFileAlone else { throw .failed(reason: "a key file opens it, and there is no passphrase to forget") }
    guard opener.forget(header) else { throw .failed(reason: "the kernel does not delete the keyring's key") }
  }

  /// Deletes the settings and this machine's copies; the engine keeps everything.
  ///
  /// The key is deleted in the kernel as well. An answer that no key opens any more is set aside: nothing could ever
  /// store it.
  ///
  /// - Returns: The answers that do not open, or that a machine which was removed can't store any more.
  /// - Throws: ``KeyringFailure/answerWaits`` while an answer of a server is still to be stored.
  func leave() throws(KeyringFailure) -> SharedKeyring.Unopened {
    let contents = try copies.read(Self.headerName, in: copies.folder)
    let seal = contents.flatMap(localSeal)
    let known = try copies.known()
    let isRemoved = try copies.pendingAccounts().isEmpty ? false : isRemoved()
    let unopened = try copies.alone { () throws(KeyringFailure) in
      var unopened = SharedKeyring.Unopened()
      let waiting = try copies.pendingAccounts()
      for id in waiting where try isRemoved ? true : !opens(id, known, seal) { unopened.answers[id] = "" }
      guard unopened.answers.count == waiting.count else { throw .answerWaits }
      if let contents, let header = try? SharedHeader(parsing: contents), !opener.forget(header) {
        throw .failed(reason: "the kernel does not delete the keyring's key")
      }
      for id in waiting { unopened.answers[id] = try copies.setAside(id) }
      // Where its keyring is locked, nothing has changed, and the command can be made again.
      try forgetAsking()
      try forgetMachine()
      // The files that tell where the keyring is come before the copies, which are never taken for another one's.
      for name in [SettingsFile.fileName, Self.headerName, KnownMeans.fileName] {
        try copies.remove(name, in: copies.folder)
      }
      for id in try copies.accounts() { try copies.remove(id) }
      try copies.forgetRemovals()
      try copies.remove(KnownKeyring.fileName, in: copies.folder)
      return unopened
    }
    sightings.removeAll()
    forget()
    return unopened
  }

  /// `true` if the engine's header says that another machine has removed this one.
  private func isRemoved() throws(KeyringFailure) -> Bool {
    guard let settings = try settings() else { return false }
    let session = Session(settings, store(settings))
    do throws(KeyringFailure) {
      _ = try opened(try parse(try rawHeader(session).object.bytes), .forbidden, keeping: false)
    } catch {
      if case .removedMachine = error { return true }
    }
    return false
  }

  /// `true` if an answer that waits opens, or may do so with a key that is not available now.
  private func opens(_ id: AccountID, _ known: KnownKeyring?, _ seal: Seal?) throws(KeyringFailure) -> Bool {
    guard let file = try copies.readablePending(of: id) else { return false }
    guard let seal, let known else { return true }
    let place = Places(name: known.name).account(id)
    return try answer(file, of: id, at: place, [seal]) != nil
  }
}
