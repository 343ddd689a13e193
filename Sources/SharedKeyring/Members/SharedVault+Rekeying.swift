import AcctCrypto
import AcctModel
import AcctPorts
import Vault

/// The change of a keyring's key.
///
/// The new header comes first, and says that the change has begun: readers take both keys from then on, and writers seal
/// with the new. Then every object is sealed anew, by compare-and-swap. That the change is over comes last. After a kill at any
/// point each object opens with one of the two, and the same command goes on.
extension SharedVault {
  /// Changes the key.
  func rekey(_ change: Rekeying, _ interaction: Interaction) throws(SharedMembershipFailure) -> Rekeyed {
    let session = try joined()
    // What a command of before has put in force, before it was interrupted, opens the keyring as well.
    successor = opener.replacingSecret(by: change.secret).map { ($0, false) }
    let ended = try finish(session, interaction)
    var result = ended ?? Rekeyed(objects: 0)
    for _ in 0..<16 {
      let (opened, version) = try latest(session, interaction)
      guard !opened.isChanging else {
        _ = try finish(session, interaction)
        continue
      }
      let plan: MembershipPlan
      do throws(SharedMembershipFailure) { plan = try self.plan(change, opened, session, interaction) } catch {
        // Such a command that was interrupted has just been finished, or was before.
        let isRepeated = if ended != nil { true } else { try hasSuccessorAlone() }
        guard try isDone(change, by: error, opened, isRepeated: isRepeated) else { throw error }
        if let name = change.removing, let removed = try gone(name, opened) {
          result.removed = removed.name
          guard ended == nil else { return result }
          let removal = MachineRemoval(by: removed.by, at: removed.at)
          result.earlier = removal
          // The host may be there again, by a number behind its name. When a machine first wrote does not tell: a write
          // of before may have been replaced.
          let joined = try whole { () throws(KeyringFailure) in try opened.roster() }.joined
          let namesakes = try members(interaction).machines.filter { machine in
            let since = machine.recipient == .machine ? machine.since : joined[machine.id]
            return machine.name.isNumbered(after: name) && since.map { $0 > removed.at } ?? false
          }
          guard namesakes.isEmpty else { throw .removedBefore(name, removal, namesakes: namesakes.map(\.name)) }
        }
        return result
      }
      guard opened.current.epoch < KeyringHeader.lastEpoch else {
        throw .keyring(.failed(reason: "the shared keyring's key has been changed as often as it can be"))
      }
      let key = EpochKey(epoch: opened.current.epoch + 1, key: opener.random())
      let header: KeyringHeader
      do throws(CryptoError) {
        var made = try KeyringHeader(
          keyring: plan.keyring,
          key,
          after: opened,
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
      try whole { () throws(KeyringFailure) in
        try copies.remember(plan.remembered, dropping: plan.dropped.map(\.id))
      }
      let begun = EpochKeys.Opened(current: key, header: header, means: opened.means)
      let sealed = try finish(session, interaction, begun)
      return Rekeyed(
        objects: sealed?.objects ?? 0,
        removed: plan.name,
        damaged: sealed?.damaged ?? [],
        dropped: plan.dropped
      )
    }
    throw .keyring(.engine(.timedOut))
  }

  /// `true` if the secret that was given opens the keyring no more, and that which the change brings does.
  private func hasSuccessorAlone() throws(SharedMembershipFailure) -> Bool {
    guard successor?.hasOpened == true else { return false }
    return try whole { () throws(KeyringFailure) in try opener.hasSecret() }
  }

  /// `true` if a failure of a change's plan says that an earlier command has done all of it.
  private func isDone(
    _ change: Rekeying,
    by failure: SharedMembershipFailure,
    _ opened: EpochKeys.Opened,
    isRepeated: Bool
  ) throws(SharedMembershipFailure) -> Bool {
    guard let name = change.removing else {
      guard case .sameSecret = failure else { return false }
      return isRepeated
    }
    guard try gone(name, opened) != nil else { return false }
    switch (failure, change.secret) {
    case (.sameSecret, _), (.noSuchMachine, .same): return true
    case (.noSuchMachine, .none):
      return try whole { () throws(KeyringFailure) in try opened.roster() }.shared.isEmpty
    default: return false
    }
  }

  /// A machine that is a member no more.
  private func gone(_ name: String, _ opened: EpochKeys.Opened) throws(SharedMembershipFailure) -> Roster.Removed? {
    guard opened.header != nil else { return nil }
    return try whole { () throws(KeyringFailure) in try opened.roster() }.removed
      .last { $0.name == name || $0.id == name }
  }
}
