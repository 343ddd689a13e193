import AcctCrypto
import AcctModel
import Secrets
import AcctPorts
import Vault

/// The members after a change.
struct MembershipPlan {
  var roster: Roster
  /// The name and the key of the machine that is removed; it has none if a passphrase opened the keyring for it.
  var name: String?
  var removed: P256PublicKey?
}

extension SharedVault {
  /// Plans a change; nothing is written yet, but for a key that this machine may need.
  func plan(
    _ change: Rekeying,
    _ opened: EpochKeys.Opened,
    _ session: Session,
    _ interaction: Interaction
  ) throws(SharedMembershipFailure) -> MembershipPlan {
    let own = try whole { () throws(KeyringFailure) in try notedIdentity().id }
    var plan = MembershipPlan(
      roster: try whole { () throws(KeyringFailure) in try former(opened, session, change, interaction) }
    )
    var added = try addition(change.secret, session)
    added?.holders = [own]
    if change.secret != .same, !change.isKeeping { plan.roster.shared = [] }
    if let name = change.removing { try remove(name, from: &plan, own, opened, session, interaction) }
    if let added { plan.roster.shared.append(added) }
    guard plan.roster.shared.count(where: \.kind.isPassphrase) <= KeyringHeader.passphraseLimit else {
      throw .tooManyPassphrases(KeyringHeader.passphraseLimit)
    }
    // A machine does not lock itself out.
    if plan.roster.shared.isEmpty, !plan.roster.machines.contains(where: { $0.id == own }) {
      let key = try whole { () throws(KeyringFailure) in try ownMachineKey(interaction) }
      plan.roster.machines.append(
        Roster.Member(
          publicKey: key,
          name: plan.roster.unusedName(machine.hostName()),
          since: machine.now(),
          version: version,
          request: "",
          by: machine.hostName(),
          formerly: own,
          keyPlace: try whole { () throws(KeyringFailure) in try identity()?.key?.kind }
        )
      )
    }
    plan.roster.generation = 1
    return plan
  }

  /// The recipient that a change brings; `nil` for none.
  ///
  /// - Throws: ``SharedMembershipFailure/sameSecret(_:)`` for one that opens the keyring already: who has it would still
  ///   do so.
  private func addition(
    _ secret: Rekeying.Secret,
    _ session: Session
  ) throws(SharedMembershipFailure) -> Roster.Shared? {
    switch secret {
    case .same, .none: return nil
    case .passphrase(let file):
      let (isKnown, added) = try whole { () throws(KeyringFailure) in
        let passphrase = try opener.opener.new(file: file)
        return (try opener.opens(try header(session), passphrase), try opener.recipient(of: passphrase))
      }
      guard !isKnown else { throw .sameSecret(.passphrase) }
      return added
    case .keyFile(let file):
      let (isKnown, added) = try whole { () throws(KeyringFailure) in
        let key = try KeyFile(path: file).key()
        return (try opener.opens(try header(session), keyFile: key), try SharedKeyOpener.recipient(ofFile: key))
      }
      guard !isKnown else { throw .sameSecret(.keyFile) }
      return added
    }
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
    from plan: inout MembershipPlan,
    _ own: String,
    _ opened: EpochKeys.Opened,
    _ session: Session,
    _ interaction: Interaction
  ) throws(SharedMembershipFailure) {
    guard opened.header != nil else { throw .formerForm }
    let writers = try whole { () throws(KeyringFailure) in try self.writers(opened, session, interaction) }
    let id: String
    var (ids, means): (Set<String>, Set<Means>) = ([], [])
    var removed = Roster.Removed(id: "", name: name, by: machine.hostName(), at: machine.now())
    if let index = plan.roster.machines.firstIndex(where: { $0.name == name || $0.id == name }) {
      let member = plan.roster.machines.remove(at: index)
      (id, plan.name, plan.removed) = (member.id, member.name, member.publicKey)
      (removed.request, removed.approvedBy) = (member.request, member.by)
      ids.insert(member.formerly)
    } else if let machine = try machines(interaction).first(where: { $0.name == name || $0.id == name }) {
      (id, plan.name) = (machine.id, machine.name)
    } else {
      throw .noSuchMachine(name)
    }
    guard id != own else { throw .thisMachine }
    ids.insert(id)
    for id in ids { means.formUnion(writers[id]?.means ?? []) }
    means.remove(.machine)
    for shared in plan.roster.shared where !ids.isDisjoint(with: shared.holders) || means.contains(shared.means) {
      throw .knowsSecret(shared.means == .keyFile ? .keyFile : .passphrase, machine: plan.name ?? name)
    }
    removed.name = plan.name ?? name
    // Its writes of before it had a key of its own are not another machine's.
    for id in ids where !id.isEmpty {
      removed.id = id
      plan.roster.removed.append(removed)
    }
    plan.roster.removed = plan.roster.removed.suffix(Roster.removedLimit)
  }
}

extension Roster.Shared {
  var means: Means { kind == .keyFile ? .keyFile : .passphrase }
}
