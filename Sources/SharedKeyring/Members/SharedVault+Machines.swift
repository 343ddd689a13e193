import AcctModel
import AcctPorts

extension SharedVault {
  /// The machines that are members, and those that have written with a passphrase or a key file.
  func machines(_ interaction: Interaction) throws(SharedMembershipFailure) -> [SharedMachine] {
    let session = try joined()
    let (opened, _) = try latest(session, interaction)
    guard opened.header != nil else { throw .formerForm }
    let roster = try whole { () throws(KeyringFailure) in try opened.roster() }
    let writers = try whole { () throws(KeyringFailure) in try self.writers(opened, session, interaction) }
    let own = try whole { () throws(KeyringFailure) in try identity()?.id }
    var machines = roster.machines.map { member in
      SharedMachine(
        id: member.id,
        name: member.name,
        version: writers[member.id]?.last.version ?? member.version,
        recipient: .machine,
        since: member.since,
        lastSeen: writers[member.id]?.last.at,
        isThis: member.id == own,
        keyPlace: member.keyPlace
      )
    }
    var taken: Set<String> = []
    for writer in roster.others(writers) {
      let name = roster.unusedName(writer.name, of: writer.id, besides: taken)
      taken.insert(name)
      machines.append(
        SharedMachine(
          id: writer.id,
          name: name,
          version: writer.version,
          recipient: writer.means == .keyFile ? .keyFile : .passphrase,
          since: nil,
          lastSeen: writer.at,
          isThis: writer.id == own
        )
      )
    }
    return machines
  }

  /// What each machine has written, by identifier.
  func writers(
    _ opened: EpochKeys.Opened,
    _ session: Session,
    _ interaction: Interaction
  ) throws(KeyringFailure) -> [String: Writes] {
    let changes = try ask { () throws(SharedStoreFailure) in try session.store.changes(session.places.accounts, 0) }
    let seal = seal(opened, session, interaction)
    var writers: [String: Writes] = [:]
    for object in changes.objects {
      guard let id = session.places.account(at: object.key), let object = try settled(object, session, seal),
        let contents = try seal.objectIfWhole(object.bytes, of: id, at: object.key)
      else { continue }
      for write in Writer.parse(contents.writers) ?? [] { writers[write.id, default: Writes(last: write)].add(write) }
    }
    return writers
  }
}

extension Roster {
  /// The machines without keys of their own, in an order that stays as long as none is new.
  ///
  /// Those that were removed are left out, unless they have written since: the new passphrase or key file may have
  /// come to them.
  func others(_ writers: [String: Writes]) -> [Writer] {
    let gone = removed.filter { removed in writers[removed.id].map { $0.last.at <= removed.at } ?? true }
    let known = Set(machines.flatMap { [$0.id, $0.formerly] } + gone.map(\.id))
    let means = shared.map(\.means)
    return writers.values.map(\.last)
      .filter { !known.contains($0.id) && means.contains($0.means) }
      .sorted { $0.id < $1.id }
  }
}

/// What a machine has written, as the accounts' objects tell.
struct Writes {
  private(set) var last: Writer
  /// How it has opened the keyring, now or before.
  private(set) var means: Set<Means> = []

  init(last: Writer) { self.last = last }

  mutating func add(_ write: Writer) {
    means.insert(write.means)
    if write.at >= last.at { last = write }
  }
}
