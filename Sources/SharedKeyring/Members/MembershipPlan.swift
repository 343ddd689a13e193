import AcctCrypto
import AcctModel
import Secrets
import AcctPorts
import FleetPorts
import Vault

/// The members after a change.
struct MembershipPlan {
  var roster: Roster
  /// The keyring's identifier.
  var keyring: [UInt8]
  /// The name and the key of the machine that is removed; it has none if a passphrase opened the keyring for it.
  var name: String?
  var removed: P256PublicKey?
  /// The means that open the keyring no more, besides that machine.
  var dropped: [SharedMeans] = []
  /// The means that this machine knows from then on, with the names of machines.
  var remembered: [String: String] = [:]
}

extension SharedVault {
  /// Plans a change; nothing is written yet, but for a key that this machine may need.
  ///
  /// - Throws: ``SharedMembershipFailure/unknownMeans(_:removing:)`` for means that there is no reason to carry over.
  func plan(
    _ change: Rekeying,
    _ opened: EpochKeys.Opened,
    _ session: Session,
    _ interaction: Interaction
  ) throws(SharedMembershipFailure) -> MembershipPlan {
    let machine = try whole { () throws(KeyringFailure) in try notedIdentity().id }
    let listed = try whole { () throws(KeyringFailure) in try former(opened, session, change, interaction) }
    let (own, members) = try whole { () throws(KeyringFailure) in
      let own = try ownMeans(opened, listed, asksScrypt: true)
      let keyring = opened.header?.keyring ?? []
      return (own, try membership(of: listed.asSet(in: keyring, openedBy: own.shared), own, opened, session))
    }
    var plan = MembershipPlan(
      roster: members.roster,
      keyring: opened.header?.keyring ?? entropy.bytes(KeyringHeader.idCount)
    )
    let added = try addition(change.secret, machine, session)
    let (kept, dropped) = (try members.means(named: change.keeping), try members.means(named: change.dropping))
    // A means is as this machine has opened it, not as a member may have listed it since.
    if let header = opened.header {
      for index in plan.roster.shared.indices where plan.roster.shared[index].id == own.shared {
        let line = header.recipients.first { $0.line.id == own.shared }
        if let line, line.kind != .machine { plan.roster.shared[index].kind = line.kind }
      }
    }
    if change.secret != .same { plan.roster.shared.removeAll { !kept.contains($0.id) } }
    var removed: Set<String> = []
    if let name = change.removing { removed = try remove(name, from: &plan, machine, opened, members) }
    try carryOver(kept, dropped, own.ids, removed, &plan, change, members)
    if let added { plan.roster.shared.append(added) }
    guard plan.roster.shared.count(where: \.kind.isPassphrase) <= KeyringHeader.passphraseLimit else {
      throw .tooManyPassphrases(KeyringHeader.passphraseLimit)
    }
    // A machine does not lock itself out.
    let remaining = Set(plan.roster.shared.map(\.id) + plan.roster.machines.map(\.id))
    let opensStill = own.ids.isEmpty ? !plan.roster.shared.isEmpty : !own.ids.isDisjoint(with: remaining)
    if added == nil, !opensStill { try addOwnKey(to: &plan, formerly: machine, interaction) }
    try whole { () throws(KeyringFailure) in try sign(&plan, kept, added?.id, interaction) }
    for id in own.ids.union(kept) { plan.remembered[id] = "" }
    if let added { plan.remembered[added.id] = "" }
    for member in plan.roster.machines where plan.remembered[member.id] != nil {
      plan.remembered[member.id] = member.name
    }
    plan.dropped = members.means(in: opened.header).filter { means in
      !removed.contains(means.id) && !plan.roster.shared.contains { $0.id == means.id }
        && !plan.roster.machines.contains { $0.id == means.id }
    }
    plan.roster.generation = 1
    return plan
  }

  /// Decides about each means of the list, and takes those out that go.
  private func carryOver(
    _ kept: Set<String>,
    _ dropped: Set<String>,
    _ own: Set<String>,
    _ removed: Set<String>,
    _ plan: inout MembershipPlan,
    _ change: Rekeying,
    _ members: Membership
  ) throws(SharedMembershipFailure) {
    let left = Set(plan.roster.shared.map(\.id) + plan.roster.machines.map(\.id))
    var decision = MeansDecision(own: own, known: members.known.ids.union(kept), dropped: dropped, removed: removed)
    decision.former = members.known.dropped
    let fates = decision.fates(of: members.entries).filter { left.contains($0.key) }
    for shared in plan.roster.shared where fates[shared.id] == .isKnownToRemoved {
      throw .knowsSecret(shared.means == .keyFile ? .keyFile : .passphrase, machine: plan.name ?? "")
    }
    let unknown = fates.filter { $0.value == .isUnknown }
    guard unknown.isEmpty else {
      let means = members.means().filter { unknown[$0.id] != nil }
      throw .unknownMeans(means, removing: change.removing)
    }
    plan.roster.shared.removeAll { fates[$0.id] == .goes }
    plan.roster.machines.removeAll { fates[$0.id] == .goes }
  }

  private func addOwnKey(
    to plan: inout MembershipPlan,
    formerly machine: String,
    _ interaction: Interaction
  ) throws(SharedMembershipFailure) {
    try whole { () throws(KeyringFailure) in
      let key = try ownMachineKey(interaction)
      let host = self.machine.hostName()
      plan.roster.machines.append(
        Roster.Member(
          publicKey: key,
          name: plan.roster.unusedName(host),
          since: self.machine.now(),
          version: version,
          request: "",
          by: host,
          formerly: machine,
          keyPlace: try identity()?.key?.kind
        )
      )
    }
  }

  /// Signs for what this machine adds, for what a person has named on it, and for its own entry.
  private func sign(
    _ plan: inout MembershipPlan,
    _ kept: Set<String>,
    _ added: String?,
    _ interaction: Interaction
  ) throws(KeyringFailure) {
    let own = try identity()?.id
    let isSigned = plan.roster.machines.first { $0.id == own }.map { $0.isOwn(in: plan.keyring) } ?? true
    guard !isSigned || !kept.isEmpty || added != nil,
      let signer = try signer(plan.roster, keyring: plan.keyring, interaction)
    else { return }
    for index in plan.roster.machines.indices {
      let id = plan.roster.machines[index].id
      if id == own, !isSigned { try signer.vouch(.holds, for: &plan.roster.machines[index]) }
      if id != own, kept.contains(id) { try signer.vouch(.kept, for: &plan.roster.machines[index]) }
    }
    for index in plan.roster.shared.indices {
      let id = plan.roster.shared[index].id
      if id == added { try signer.vouch(.added, for: &plan.roster.shared[index]) }
      if kept.contains(id) { try signer.vouch(.kept, for: &plan.roster.shared[index]) }
    }
  }

  /// The recipient that a change brings; `nil` for none.
  ///
  /// - Throws: ``SharedMembershipFailure/sameSecret(_:)`` for one that opens the keyring already: who has it would still
  ///   do so.
  private func addition(
    _ secret: Rekeying.Secret,
    _ machine: String,
    _ session: Session
  ) throws(SharedMembershipFailure) -> Roster.Shared? {
    var (kind, isKnown): (SharedMachine.Recipient, Bool) = (.passphrase, false)
    var added: Roster.Shared
    switch secret {
    case .same, .none: return nil
    case .passphrase(let file):
      (isKnown, added) = try whole { () throws(KeyringFailure) in
        let passphrase = try opener.opener.new(file: file)
        let header = try header(session)
        var isKnown = false
        // A machine with this file opens the keyring by either.
        for secret in passphrase.candidates where try opener.opens(header, secret) { isKnown = true }
        return (isKnown, try opener.recipient(of: passphrase.secret))
      }
    case .keyFile(let file):
      kind = .keyFile
      (isKnown, added) = try whole { () throws(KeyringFailure) in
        let key = try KeyFile(path: file).key()
        return (try opener.opens(try header(session), keyFile: key), try SharedKeyOpener.recipient(ofFile: key))
      }
    }
    guard !isKnown else { throw .sameSecret(kind) }
    added.holders = [machine]
    added.since = self.machine.now()
    return added
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
    // With a new one the former one is not asked for, unless it is to stay.
    guard change.secret == .same || !change.keeping.isEmpty else { return roster }
    guard case .former(let header) = try header(session) else { throw .rolledBack }
    switch header {
    case .keyFile: roster.shared = [try SharedKeyOpener.recipient(ofFile: opened.current.key)]
    case .passphrase(let header):
      roster.shared = [try opener.recipient(of: try opener.opener.passphrase(of: header, interaction))]
    }
    return roster
  }

  /// Takes the machine that is removed out of the list.
  ///
  /// - Returns: The identifiers that it has had.
  private func remove(
    _ name: String,
    from plan: inout MembershipPlan,
    _ own: String,
    _ opened: EpochKeys.Opened,
    _ members: Membership
  ) throws(SharedMembershipFailure) -> Set<String> {
    guard opened.header != nil else { throw .formerForm }
    guard let id = try members.machine(named: name) else { throw .noSuchMachine(name) }
    guard id != own else { throw .thisMachine }
    var removed = Roster.Removed(id: "", name: members.name(of: id), by: machine.hostName(), at: machine.now())
    var ids: Set<String> = [id]
    if let index = plan.roster.machines.firstIndex(where: { $0.id == id }) {
      let member = plan.roster.machines.remove(at: index)
      plan.removed = member.publicKey
      (removed.request, removed.approvedBy) = (member.request, member.by)
      // No machine has been another one that is still a member, or this one.
      let isAnothers = member.formerly == own || plan.roster.machines.contains { $0.id == member.formerly }
      if !member.formerly.isEmpty, !isAnothers { ids.insert(member.formerly) }
    }
    plan.name = removed.name
    // Its writes of before it had a key of its own are not another machine's.
    for id in ids.sorted() {
      removed.id = id
      plan.roster.removed.append(removed)
    }
    plan.roster.removed = plan.roster.removed.suffix(Roster.removedLimit)
    return ids
  }
}

extension Roster.Shared {
  var means: Means { kind == .keyFile ? .keyFile : .passphrase }
}
