import AcctModel
import AcctPorts

extension SharedVault {
  /// Removes an account and frees its name; one that is not there is no error.
  ///
  /// An object that is damaged is removed as well, as the caller asked. A trace stays in its place, so that an older
  /// object that is put back is noticed; it has the account's name and last events, and the removal's as the last.
  ///
  /// - Parameters:
  ///   - session: The keyring.
  ///   - id: The account.
  ///   - event: The removal, as the trace tells of it; `nil` to tell nothing, as for an account that was hardly there.
  ///   - interaction: Decides if a person may be asked.
  /// - Throws: ``KeyringFailure/rolledBack``; the failure of the engine.
  func remove(
    _ session: Session,
    _ id: AccountID,
    _ event: AccountEvent?,
    _ interaction: Interaction
  ) throws(KeyringFailure) {
    let seal = try seal(session, interaction)
    try confirm(session)
    let place = session.places.account(id)
    let (copy, seen) = try copies.seen(of: id)
    let known = copy.flatMap { try? seal.local.object($0.bytes, of: id, at: place) }
    var names = Set([known?.name].compactMap(\.self))
    var trace: (generation: Int64, bytes: [UInt8])?
    for _ in 0..<16 where trace == nil {
      var object = try ask { () throws(SharedStoreFailure) in try session.store.get(place) }.object
      if let found = object { object = try settled(found, session, seal) }
      let found = object.flatMap { try? seal.object($0.bytes, of: id, at: place) }
      if let name = found?.name { names.insert(name) }
      let last = found.map { $0.isRemoved ? known : $0 } ?? known
      let removal = event.flatMap { event in last.flatMap { Removal(of: $0, event) } }
      trace = try leaveTrace(removal, over: object, at: place, beside: seen, session, seal, of: id)
    }
    guard let trace else { throw .engine(.timedOut) }
    for name in names { release(name, of: id, session, seal) }
    hold(nil, of: id)
    try copies.alone { () throws(KeyringFailure) in try copies.noteRemoval(of: id, trace.generation, trace.bytes) }
    try copies.removePending(id)
    sightings.remove(id)
  }

  /// Puts the trace of a removal in the place of an object.
  ///
  /// - Returns: The trace and its generation, 0 where none is needed; `nil` if the object has changed.
  private func leaveTrace(
    _ removal: Removal?,
    over object: SharedStore.Object?,
    at place: String,
    beside seen: SeenGeneration,
    _ session: Session,
    _ seal: Seal,
    of id: AccountID
  ) throws(KeyringFailure) -> (generation: Int64, bytes: [UInt8])? {
    var generation = seen.number
    if let object {
      switch try seal.inspected(object.bytes, of: id, at: place) {
      case .success(let contents) where contents.isRemoved && contents.generation >= generation:
        return (contents.generation, object.bytes)
      case .success(let contents): generation = max(generation, contents.generation)
      // Its generation is not known to a machine that has seen no other: the trace's is higher by far.
      case .failure: generation += Self.leap
      }
    } else if generation == 0 || seen.isRemoval {
      return (generation, [])
    }
    let sealed = try seal.sealed(.removed(removal, generation: generation), over: generation, at: place)
    let version = try ask { () throws(SharedStoreFailure) in
      try session.store.swap(place, sealed.bytes, object?.version)
    }
    return version == nil ? nil : (sealed.generation, sealed.bytes)
  }

  /// The accounts that were removed, as the traces say that this machine has copies of; the engine is not asked.
  ///
  /// One that was made again since is none of them.
  func removals(_ session: Session, _ interaction: Interaction) throws(KeyringFailure) -> [RemovedAccount] {
    let ids = Set(try copies.removals()).subtracting(try copies.accounts())
    guard !ids.isEmpty else { return [] }
    let seal = try seal(session, interaction)
    var removed: [RemovedAccount] = []
    for id in ids.sorted(by: { $0.description < $1.description }) {
      guard let trace = try copies.trace(of: id),
        let object = try seal.local.objectIfWhole(trace, of: id, at: session.places.account(id)),
        let removal = object.removal
      else { continue }
      removed.append(RemovedAccount(id: id, name: removal.name, history: removal.history))
    }
    return removed
  }

  private static let leap: Int64 = 1 << 32

  /// Removes items of an account, and the account's object with the last of them if it has no record.
  func remove(
    _ session: Session,
    _ id: AccountID,
    _ kinds: [ItemKind],
    _ interaction: Interaction
  ) throws(KeyringFailure) {
    let seal = try seal(session, interaction)
    guard let object = try stored(session, seal, id) else { return }
    var wanted = object
    for kind in kinds { wanted.items[kind.rawValue] = nil }
    guard wanted != object else { return }
    if wanted.isEmpty {
      try remove(session, id, nil, interaction)
    } else {
      try put(wanted, over: object, session, seal, id)
    }
  }

  /// Stores items of an account; its record stays as it is.
  func write(
    _ session: Session,
    _ id: AccountID,
    _ items: [Keyring.Item],
    _ interaction: Interaction
  ) throws(KeyringFailure) {
    let seal = try seal(session, interaction)
    guard !items.isEmpty else { return }
    let object = try stored(session, seal, id)
    var wanted = object ?? SharedObject()
    wanted.items = wanted.changed(by: .merging(items))
    guard wanted != object else { return }
    try put(wanted, over: object, session, seal, id)
  }

  /// An account as this machine's copy has it, else as the engine does.
  func stored(_ session: Session, _ seal: Seal, _ id: AccountID) throws(KeyringFailure) -> SharedObject? {
    if let copy = try copies.copy(of: id) {
      return try seal.local.object(copy.bytes, of: id, at: session.places.account(id))
    }
    return try current(session, seal, id)
  }

  private func put(
    _ wanted: SharedObject,
    over object: SharedObject?,
    _ session: Session,
    _ seal: Seal,
    _ id: AccountID
  ) throws(KeyringFailure) {
    try confirm(session, id)
    let generation = try lastGeneration(of: id, object)
    let change = Change(
      account: id,
      base: object,
      version: try copies.copy(of: id)?.version,
      wanted: wanted,
      sealed: try seal.sealed(wanted, over: generation, at: session.places.account(id)),
      writer: thisProcess,
      isAnswer: false,
      replacing: false
    )
    guard try commit(change, session, seal) == .stored else {
      throw .failed(reason: "another machine has removed the account meanwhile")
    }
  }
}
