import AcctCrypto
import AcctModel
import AcctPorts
import FleetPorts
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

/// The members of a keyring, and the header that names them.
extension SharedVault {
  var membership: SharedMembership {
    SharedMembership(
      means: { settings throws(SharedMembershipFailure) in try self.means(settings) },
      request: { settings, tpm, interaction, announce async throws(SharedMembershipFailure) in
        try await self.request(settings, keyIn: tpm, interaction, announce)
      },
      approve: { code, interaction throws(SharedMembershipFailure) in try self.approve(code, interaction) },
      members: { interaction throws(SharedMembershipFailure) in try self.members(interaction) },
      rekey: { change, interaction throws(SharedMembershipFailure) in try self.rekey(change, interaction) },
      ownItem: { (try? self.identity())?.key?.item }
    )
  }

  /// Puts a header in the place of the one that it was made from, and keeps it.
  ///
  /// - Returns: `false` if the engine has another one by now.
  func replace(
    _ header: KeyringHeader,
    _ version: Int64,
    _ former: EpochKeys.Opened,
    as key: EpochKey? = nil,
    _ session: Session
  ) throws(SharedMembershipFailure) -> Bool {
    let contents = header.serialized()
    return try whole { () throws(KeyringFailure) in
      // One that no machine could read would end the keyring.
      guard try parse(contents) == .epochs(header), header.roster(key ?? former.current) != nil else {
        throw .damagedHeader("what it holds goes into no header; `acct keyring rekey` makes another one")
      }
      var isThere = false
      do throws(SharedStoreFailure) {
        isThere = try session.store.swap(session.places.header, contents, version) != nil
      } catch {
        // The answer may have been lost; these bytes are this process's own.
        guard let now = try? session.store.get(session.places.header).object else { throw .engine(error) }
        isThere = now.bytes == contents
        if !isThere, now.version == version { throw .engine(error) }
      }
      guard isThere else { return false }
      let current = key ?? former.current
      let opened = EpochKeys.Opened(
        current: current,
        header: header,
        means: former.means
      )
      try keep(opened, contents)
      return true
    }
  }

  /// The keyring in use.
  func joined() throws(SharedMembershipFailure) -> Session {
    try whole { () throws(KeyringFailure) in
      guard let settings = try settings() else { throw .notJoined }
      return try self.session(settings)
    }
  }

  /// The engine's header, opened, and its version.
  func latest(
    _ session: Session,
    _ interaction: Interaction
  ) throws(SharedMembershipFailure) -> (opened: EpochKeys.Opened, version: Int64) {
    try whole { () throws(KeyringFailure) in
      let before = try opened(session, interaction)
      let known = try copies.known()
      let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(session.places.header) }
      guard !hasGoneBack(reading.standing, known), let object = reading.object else { throw .rolledBack }
      return (try followed(object.bytes, from: before, interaction), object.version)
    }
  }

  /// The header as it lies on the engine.
  func rawHeader(
    _ session: Session
  ) throws(KeyringFailure) -> (object: SharedStore.Object, standing: SharedStore.Standing) {
    let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(session.places.header) }
    guard let object = reading.object else {
      throw .engine(.notPrepared(reason: "there is no keyring \(session.settings.name) on the engine"))
    }
    return (object, reading.standing)
  }

  func whole<Value>(_ body: () throws(KeyringFailure) -> Value) throws(SharedMembershipFailure) -> Value {
    do { return try body() } catch { throw .keyring(error) }
  }
}

extension Roster {
  /// A host's name, with a number where another machine has it, or had it.
  func unusedName(_ name: String, of id: String? = nil, besides others: Set<String> = []) -> String {
    let names = others.union(machines.map(\.name)).union(removed.filter { $0.id != id }.map(\.name))
    let taken = Set(names.map(NameSkeleton.init))
    guard taken.contains(NameSkeleton(name)) else { return name }
    var number = 2
    while taken.contains(NameSkeleton("\(name)-\(number)")) { number += 1 }
    return "\(name)-\(number)"
  }
}

extension String {
  /// `true` for a host's name with a number behind it, as machines of one name get it.
  func isNumbered(after name: String) -> Bool {
    guard hasPrefix("\(name)-") else { return false }
    return Int(dropFirst(name.count + 1)) != nil
  }
}
