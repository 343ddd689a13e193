import AcctCrypto
import AcctModel
import Secrets
import AcctPorts
import PrivateFiles
import Synchronization
import Vault

/// The change of a keyring's key.
///
/// The new header comes first, with the former key under the new one: readers take both from then on, and writers seal
/// with the new. Then every object is sealed anew, by compare-and-swap. The former key goes last. After a kill at any
/// point each object opens with one of the two, and the same command goes on.
extension SharedVault {
  /// Changes the key.
  func rekey(_ change: Rekeying, _ interaction: Interaction) throws(SharedMembershipFailure) -> Rekeyed {
    let session = try joined()
    var result = try finish(session, interaction)
    for _ in 0..<16 {
      let (opened, version) = try latest(session, interaction)
      guard opened.previous == nil else {
        _ = try finish(session, interaction)
        continue
      }
      let plan: Plan
      do throws(SharedMembershipFailure) { plan = try self.plan(change, opened, session, interaction) } catch {
        // Such a command that was interrupted has just been finished.
        guard let name = change.removing, let removed = try gone(name, opened) else { throw error }
        result.removed = removed
        return result
      }
      let key = EpochKey(epoch: opened.current.epoch + 1, key: opener.random())
      let header: KeyringHeader
      do throws(CryptoError) {
        var made = try KeyringHeader(
          keyring: opened.header?.keyring ?? entropy.bytes(KeyringHeader.idCount),
          key,
          after: opened.current,
          for: plan.roster,
          removals: opened.header?.removals ?? [],
          entropy
        )
        if let removed = plan.removed {
          let note = KeyringHeader.Removal(by: machine.hostName(), at: machine.now())
          made.removals = (made.removals + [try made.line(note, for: removed)]).suffix(KeyringHeader.removalLimit)
          try made.put(plan.roster, key, entropy)
        }
        header = made
      } catch {
        throw .keyring(KeyringFailure(error))
      }
      guard try replace(header, version, opened, as: key, session) else { continue }
      let sealed = try finish(
        session,
        interaction,
        EpochKeys.Opened(
          current: key,
          previous: opened.current,
          header: header,
          means: opened.means
        )
      )
      return Rekeyed(objects: sealed.objects, removed: plan.name, damaged: sealed.damaged)
    }
    throw .keyring(.engine(.timedOut))
  }

  /// The members after a change.
  private struct Plan {
    var roster: Roster
    /// The name and the key of the machine that is removed; it has none if a passphrase opened the keyring for it.
    var name: String?
    var removed: P256PublicKey?
  }

  private func plan(
    _ change: Rekeying,
    _ opened: EpochKeys.Opened,
    _ session: Session,
    _ interaction: Interaction
  ) throws(SharedMembershipFailure) -> Plan {
    let own = try whole { () throws(KeyringFailure) in try notedIdentity().id }
    var plan = Plan(roster: try whole { () throws(KeyringFailure) in try former(opened, session, change, interaction) })
    var added: Roster.Shared?
    try whole { () throws(KeyringFailure) in
      switch change.secret {
      case .same, .none: break
      case .passphrase(let file): added = try opener.recipient(of: try opener.opener.new(file: file))
      case .keyFile(let file): added = try SharedKeyOpener.recipient(ofFile: try KeyFile(path: file).key())
      }
    }
    added?.holders = [own]
    if let added, plan.roster.shared.contains(where: { $0.id == added.id }) { throw .sameKeyFile }
    if change.secret != .same, !change.isKeeping { plan.roster.shared = [] }
    if let name = change.removing { try remove(name, from: &plan, own, opened, session, interaction) }
    if let added, !plan.roster.shared.contains(where: { $0.id == added.id }) { plan.roster.shared.append(added) }
    // A machine does not lock itself out.
    if plan.roster.shared.isEmpty, !plan.roster.machines.contains(where: { $0.id == own }) {
      let key = try whole { () throws(KeyringFailure) in try makeMachineKey(interaction) }
      plan.roster.machines.append(
        Roster.Member(
          publicKey: key.publicKey,
          name: plan.roster.unusedName(machine.hostName()),
          since: machine.now(),
          version: version,
          request: "",
          by: machine.hostName()
        )
      )
    }
    plan.roster.generation += 1
    return plan
  }

  /// The members before a change; those of a keyring of the former form are its passphrase or its key file.
  private func former(
    _ opened: EpochKeys.Opened,
    _ session: Session,
    _ change: Rekeying,
    _ interaction: Interaction
  ) throws(KeyringFailure) -> Roster {
    guard opened.header == nil else { return try opened.roster() }
    var roster = Roster(names: Seal.names(of: opened.current.key), generation: 0)
    guard change.secret == .same || change.isKeeping else { return roster }
    guard case .former(let header) = try header(session) else { throw .rolledBack }
    switch header {
    case .keyFile: roster.shared = [try SharedKeyOpener.recipient(ofFile: opened.current.key)]
    case .passphrase(let header):
      roster.shared = [try opener.recipient(of: try opener.opener.passphrase(of: header, interaction))]
    }
    return roster
  }

  private func remove(
    _ name: String,
    from plan: inout Plan,
    _ own: String,
    _ opened: EpochKeys.Opened,
    _ session: Session,
    _ interaction: Interaction
  ) throws(SharedMembershipFailure) {
    guard opened.header != nil else { throw .formerForm }
    let writers = try whole { () throws(KeyringFailure) in try self.writers(opened, session, interaction) }
    let id: String
    var means: Set<Means> = []
    if let index = plan.roster.machines.firstIndex(where: { $0.name == name || $0.id == name }) {
      let member = plan.roster.machines.remove(at: index)
      (id, plan.name, plan.removed) = (member.id, member.name, member.publicKey)
    } else if let machine = try machines(interaction).first(where: { $0.name == name || $0.id == name }) {
      (id, plan.name) = (machine.id, machine.name)
    } else {
      throw .noSuchMachine(name)
    }
    guard id != own else { throw .thisMachine }
    if let writer = writers[id], writer.means != .machine { means.insert(writer.means) }
    for shared in plan.roster.shared where shared.holders.contains(id) || means.contains(shared.means) {
      throw .knowsSecret(shared.means == .keyFile ? .keyFile : .passphrase, machine: plan.name ?? name)
    }
    let removed = Roster.Removed(id: id, name: plan.name ?? name, by: machine.hostName(), at: machine.now())
    plan.roster.removed = (plan.roster.removed + [removed]).suffix(Roster.removedLimit)
  }

  /// The name of a machine that is a member no more.
  private func gone(_ name: String, _ opened: EpochKeys.Opened) throws(SharedMembershipFailure) -> String? {
    guard opened.header != nil else { return nil }
    return try whole { () throws(KeyringFailure) in try opened.roster() }.removed
      .last { $0.name == name || $0.id == name }?.name
  }
}

extension Roster.Shared {
  var means: Means { kind == .keyFile ? .keyFile : .passphrase }
}
