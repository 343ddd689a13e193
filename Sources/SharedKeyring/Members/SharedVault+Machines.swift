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
        version: writers[member.id]?.version ?? member.version,
        recipient: .machine,
        since: member.since,
        lastSeen: writers[member.id]?.at,
        isThis: member.id == own,
        keyPlace: member.keyPlace
      )
    }
    var taken: Set<String> = []
    for writer in roster.others(writers) {
      let name = roster.unusedName(writer.name, besides: taken)
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

  /// The latest write of each machine, by identifier.
  func writers(
    _ opened: EpochKeys.Opened,
    _ session: Session,
    _ interaction: Interaction
  ) throws(KeyringFailure) -> [String: Writer] {
    let changes = try ask { () throws(SharedStoreFailure) in try session.store.changes(session.places.accounts, 0) }
    let seal = seal(opened, session, interaction)
    var writers: [String: Writer] = [:]
    for object in changes.objects {
      guard let id = session.places.account(at: object.key), let object = try settled(object, session, seal),
        let contents = try seal.objectIfWhole(object.bytes, of: id, at: object.key)
      else { continue }
      for writer in Writer.parse(contents.writers) ?? [] where writer.at >= writers[writer.id]?.at ?? 0 {
        writers[writer.id] = writer
      }
    }
    return writers
  }
}

extension Roster {
  /// The machines without keys of their own, in an order that stays; those that were removed are left out.
  func others(_ writers: [String: Writer]) -> [Writer] {
    let known = Set(machines.flatMap { [$0.id, $0.formerly] } + removed.map(\.id))
    let means = shared.map(\.means)
    return writers.values.filter { !known.contains($0.id) && means.contains($0.means) }.sorted { $0.id < $1.id }
  }
}
