import AcctCrypto
import AcctModel
import AcctPorts
import FleetPorts
import Vault

/// A machine that asks to be let in: it shows a code, and waits until a member has approved it.
extension SharedVault {
  /// With what this machine can join a keyring; nothing is asked of anyone.
  func means(_ settings: SharedKeyringSettings) throws(SharedMembershipFailure) -> JoiningMeans {
    let session = try whole { () throws(KeyringFailure) in try self.session(settings) }
    return try whole { () throws(KeyringFailure) in
      guard try !opener.hasSecret() else { return .given }
      guard case .epochs(let header) = try parse(try rawHeader(session).object.bytes) else { return .given }
      if let own = try identity(), header.hasMember(own) { return .given }
      return header.hasPassphrase ? .passphrase : .code
    }
  }

  /// Joins a keyring by a code.
  ///
  /// This machine's key of before, if it has one, stays until the new one has opened the keyring.
  func request(
    _ settings: SharedKeyringSettings,
    keyIn tpm: TPMAddress?,
    _ interaction: Interaction,
    _ announce: @escaping @Sendable (String) -> Void
  ) async throws(SharedMembershipFailure) {
    let session = try whole { () throws(KeyringFailure) in try self.session(settings) }
    let (object, standing) = try whole { () throws(KeyringFailure) in try rawHeader(session) }
    guard case .epochs(let header) = try whole({ () throws(KeyringFailure) in try parse(object.bytes) })
    else { throw .formerForm }
    let own = try whole { () throws(KeyringFailure) in try identity() }
    // It may have been let in, and stopped before it knew.
    let former = try whole { () throws(KeyringFailure) in try identity(in: MachineIdentity.askingName) }
    for known in [own, former].compactMap(\.self) where header.hasMember(known) {
      guard try whole({ () throws(KeyringFailure) in try opens(header, known, interaction) }) else { continue }
      let isSharing = try whole { () throws(KeyringFailure) in try self.settings() } != nil
      guard known != own || !isSharing else { throw .member }
      return try whole { () throws(KeyringFailure) in
        try enter(session, object, standing, as: known, interaction)
        try settleAsking(after: own, known)
      }
    }
    try whole { () throws(KeyringFailure) in try checkHeader() }
    // A key of its own for each time: the one of a machine that was removed is not used again.
    let asking = try whole { () throws(KeyringFailure) in
      try forgetAsking()
      if let tpm { return try makeMachineKey(in: MachineIdentity.askingName, tpm) }
      return try makeMachineKey(in: MachineIdentity.askingName, interaction)
    }
    do throws(SharedMembershipFailure) {
      let request = try whole { () throws(KeyringFailure) in try joinRequest(asking, own, header, interaction) }
      let found = try await approved(request, asking.identity.id, session, announce)
      try whole { () throws(KeyringFailure) in
        try enter(session, found.object, found.standing, as: asking.identity, interaction)
      }
    } catch {
      // One that was approved all the same goes on from there the next time.
      if !mayBeLetIn(asking.identity.id, session) { try? forgetAsking() }
      throw error
    }
    try whole { () throws(KeyringFailure) in try settleAsking(after: own, asking.identity) }
  }

  /// Checks that this machine's header, if it has one, can be compared with the one that it would be let in to.
  private func checkHeader() throws(KeyringFailure) {
    guard let contents = try copies.read(Self.headerName, in: copies.folder), try copies.known() != nil else { return }
    let local = try parse(contents)
    guard case .former(.passphrase) = local else { return }
    do throws(KeyringFailure) { _ = try opened(local, .forbidden, keeping: false) } catch {
      guard error.isLocked else { throw error }
      throw .failed(
        reason: "this machine shares it by the passphrase of an earlier version: give that one, or run "
          + "`acct keyring leave` first"
      )
    }
  }

  /// `true` if the engine's header has a machine among its recipients, or is not known.
  private func mayBeLetIn(_ id: String, _ session: Session) -> Bool {
    do { return try approved(id, session) != nil } catch { return true }
  }

  /// Forgets the key of before, once another one has opened the keyring.
  private func settleAsking(after former: MachineIdentity?, _ now: MachineIdentity) throws(KeyringFailure) {
    if let place = former?.key, place != now.key { try forgetKey(place) }
    try copies.remove(MachineIdentity.askingName, in: copies.folder)
  }

  /// `true` if the key of this machine opens a header; a key that is lost does not.
  private func opens(
    _ header: KeyringHeader,
    _ machine: MachineIdentity,
    _ interaction: Interaction
  ) throws(KeyringFailure) -> Bool {
    do throws(KeyringFailure) { _ = try opened(.epochs(header), as: machine, interaction) } catch {
      switch error {
      case .locked, .machineKey(_, .foreign), .machineKey(_, .gone): return false
      default: throw error
      }
    }
    return true
  }

  private typealias Approved = (object: SharedStore.Object, standing: SharedStore.Standing)

  /// The request of this machine, with its signatures.
  private func joinRequest(
    _ asking: (identity: MachineIdentity, publicKey: P256PublicKey),
    _ own: MachineIdentity?,
    _ header: KeyringHeader,
    _ interaction: Interaction
  ) throws(KeyringFailure) -> JoinRequest {
    var request = JoinRequest(
      publicKey: asking.publicKey,
      name: machine.hostName(),
      version: version,
      at: machine.now(),
      formerly: own?.id ?? "",
      keyPlace: asking.identity.key?.kind
    )
    request.holding = try opener.means(of: header)
    guard let place = asking.identity.key, place.kind == .software,
      let signer = Signer(
        try machineKey(place, interaction),
        asking.identity.id,
        keyring: header.keyring,
        at: machine.now()
      )
    else { return request }
    request.vouchers = [try signer.voucher(.holds, for: asking.identity.id)]
    let known = try copies.knownMeans().ids
    if let means = request.holding,
      let id = try opener.sharedMeans(of: header, means, known: known, asksScrypt: true)
    {
      request.vouchers.append(try signer.voucher(.holds, for: id))
    }
    return request
  }

  /// Shows a code, and waits until a member has approved it.
  ///
  /// A signal ends the wait, and the request is taken back before the process ends.
  private func approved(
    _ request: JoinRequest,
    _ id: String,
    _ session: Session,
    _ announce: @escaping @Sendable (String) -> Void
  ) async throws(SharedMembershipFailure) -> Approved {
    let (watched, begin) = AsyncStream.makeStream(of: Never.self)
    let waiting = Task { () async -> Result<Approved, SharedMembershipFailure> in
      for await _ in watched {}
      do throws(SharedMembershipFailure) {
        return .success(try await untilApproved(request, id, session, announce))
      } catch {
        return .failure(error)
      }
    }
    let watch = watch { waiting.cancel() }
    defer { watch.release() }
    begin.finish()
    return try await waiting.value.get()
  }

  private func untilApproved(
    _ request: JoinRequest,
    _ id: String,
    _ session: Session,
    _ announce: @Sendable (String) -> Void
  ) async throws(SharedMembershipFailure) -> Approved {
    let code = JoinCode(entropy)
    let place = session.places.request(code.place)
    let sealed = try whole { () throws(KeyringFailure) in try self.sealed(request, code) }
    // The engine may have taken it even if its answer is lost.
    defer { withdraw(sealed, at: place, session) }
    try whole { () throws(KeyringFailure) in
      guard try ask({ () throws(SharedStoreFailure) -> Int64? in try session.store.swap(place, sealed, nil) }) != nil
      else { throw .failed(reason: "another request is in the place of this one") }
      guard !Task.isCancelled else { throw .cancelled }
    }
    announce(code.text)
    let end = machine.bootTime() + JoinRequest.lifetime * 1000
    while machine.bootTime() < end {
      guard await machine.pause(1_000) else { throw .keyring(.cancelled) }
      do throws(KeyringFailure) {
        if let found = try approved(id, session) { return found }
      } catch {
        guard case .engine(let failure) = error, failure.isOutage else { throw .keyring(error) }
      }
    }
    throw .notApproved
  }

  private func sealed(_ request: JoinRequest, _ code: JoinCode) throws(KeyringFailure) -> [UInt8] {
    do { return try request.sealed(code, entropy) } catch { throw KeyringFailure(error) }
  }

  /// The engine's header, once it has a machine among its recipients.
  private func approved(
    _ id: String,
    _ session: Session
  ) throws(KeyringFailure) -> Approved? {
    let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(session.places.header) }
    guard let object = reading.object, case .epochs(let header) = try parse(object.bytes),
      header.recipients.contains(where: { $0.line.id == id })
    else { return nil }
    return (object, reading.standing)
  }

  /// Takes a request back; one that stays is too old in ten minutes.
  private func withdraw(_ request: [UInt8], at place: String, _ session: Session) {
    guard let object = (try? session.store.get(place))?.object, object.bytes == request else { return }
    _ = try? session.store.swap(place, nil, object.version)
  }
}

extension SharedVault {
  /// Makes the machine that waits with a code a member.
  ///
  /// - Returns: Its name.
  func approve(_ text: String, _ interaction: Interaction) throws(SharedMembershipFailure) -> String {
    guard let code = JoinCode(text) else { throw .notACode }
    let session = try joined()
    for _ in 0..<16 {
      let (opened, version) = try latest(session, interaction)
      guard var header = opened.header else { throw .formerForm }
      var roster = try whole { () throws(KeyringFailure) in try opened.roster() }
      if let used = roster.approval(by: code) { throw .usedCode(by: used.by, machine: used.machine) }
      let request = try request(code, session)
      var member = Roster.Member(
        publicKey: request.publicKey,
        name: roster.unusedName(request.name),
        since: machine.now(),
        version: request.version,
        request: code.place,
        by: machine.hostName(),
        formerly: request.formerly,
        keyPlace: request.keyPlace,
        vouchers: request.vouchers.filter { $0.act == .holds && $0.machine == KeyringHeader.id(of: request.publicKey) }
      )
      try whole { () throws(KeyringFailure) in
        try signer(roster, keyring: header.keyring, interaction)?.vouch(.added, for: &member)
      }
      guard !roster.machines.contains(where: { $0.id == member.id }) else { throw .forgedRequest }
      guard header.recipients.count < KeyringHeader.recipientLimit else { throw .tooMany }
      roster.machines.append(member)
      roster.note(member.id, holdingAs: request.formerly)
      if let means = request.holding { _ = roster.note(member.id, holding: means) }
      for index in roster.shared.indices {
        for voucher in request.vouchers
        where voucher.machine == member.id
          && roster.shared[index].isVouched(voucher, by: member.publicKey, in: header.keyring)
        {
          roster.shared[index].add(voucher)
        }
      }
      roster.generation += 1
      header.removals.removeAll { $0.id == member.id }
      do throws(CryptoError) {
        try header.add(member.publicKey, .machine, opened.current)
        try header.put(roster, opened.current, entropy)
      } catch {
        throw .keyring(KeyringFailure(error))
      }
      guard try replace(header, version, opened, session) else { continue }
      try whole { () throws(KeyringFailure) in try copies.remember([member.id: member.name]) }
      return member.name
    }
    throw .keyring(.engine(.timedOut))
  }

  /// The request that lies on the engine for a code.
  private func request(_ code: JoinCode, _ session: Session) throws(SharedMembershipFailure) -> JoinRequest {
    let place = session.places.request(code.place)
    let object = try whole { () throws(KeyringFailure) in
      try ask { () throws(SharedStoreFailure) in try session.store.get(place) }.object
    }
    guard let object else { throw .unknownCode }
    guard let request = JoinRequest(object.bytes, code) else { throw .forgedRequest }
    guard abs(machine.now() - request.at) <= JoinRequest.lifetime else { throw .oldCode }
    return request
  }
}

extension Roster {
  /// The machine that was let in by a code, whether it still is a member or not, and who did so.
  fileprivate func approval(by code: JoinCode) -> (by: String, machine: String)? {
    if let member = machines.first(where: { $0.request == code.place }) { return (member.by, member.name) }
    return removed.first { $0.request == code.place }.map { ($0.approvedBy, $0.name) }
  }
}

extension SharedVault {
  /// The machines that share the keyring, and all that opens it.
  func members(_ interaction: Interaction) throws(SharedMembershipFailure) -> SharedMembers {
    let session = try joined()
    let (opened, _) = try latest(session, interaction)
    guard let header = opened.header else { throw .formerForm }
    return try whole { () throws(KeyringFailure) in
      let roster = try opened.roster()
      let own = try ownMeans(opened, roster)
      let members = try membership(of: roster.asSet(in: header.keyring, openedBy: own.shared), own, opened, session)
      return SharedMembers(
        machines: members.machines,
        means: members.means(in: header),
        doubles: members.roster.doubles + header.doubles
      )
    }
  }

  /// Who shares the keyring by a list, and what they have written.
  func membership(
    of roster: Roster,
    _ own: OwnMeans,
    _ opened: EpochKeys.Opened,
    _ session: Session
  ) throws(KeyringFailure) -> Membership {
    Membership(
      roster,
      opened.header == nil ? [:] : try writers(opened, session),
      keyring: opened.header?.keyring ?? [],
      machine: try identity()?.id,
      own: own.ids,
      known: try copies.knownMeans()
    )
  }

  /// The writes of each machine, by identifier.
  private func writers(_ opened: EpochKeys.Opened, _ session: Session) throws(KeyringFailure) -> [String: Writes] {
    let changes = try ask { () throws(SharedStoreFailure) in try session.store.changes(session.places.accounts, 0) }
    let seal = seal(opened, session, .forbidden)
    var writers: [String: Writes] = [:]
    for object in changes.objects {
      guard let id = session.places.account(at: object.key), let object = try settled(object, session, seal),
        let contents = try seal.objectIfWhole(object.bytes, of: id, at: object.key)
      else { continue }
      for write in Writer.parse(contents.writers) ?? [] {
        if writers[write.id] == nil { writers[write.id] = Writes(write) } else { writers[write.id]?.add(write) }
      }
    }
    return writers
  }

  /// The means by which this machine opens a keyring.
  struct OwnMeans {
    /// Its own key, if the list has it.
    var machine: String?
    /// The passphrase or the key file.
    var shared: String?
    var ids: Set<String> { Set([machine, shared].compactMap(\.self)) }
  }

  /// Finds the means by which this machine opens the keyring.
  ///
  /// - Parameters:
  ///   - opened: The keyring.
  ///   - roster: Its list.
  ///   - asksScrypt: `true` to find out which of several passphrases the given one is, which takes a third of a second
  ///     for each.
  /// - Returns: Its own key, and the passphrase or key file.
  /// - Throws: ``KeyringFailure`` if a file can't be read.
  func ownMeans(
    _ opened: EpochKeys.Opened,
    _ roster: Roster?,
    asksScrypt: Bool = false
  ) throws(KeyringFailure) -> OwnMeans {
    var own = OwnMeans()
    guard let header = opened.header else {
      // The former form has one means, by which it was opened.
      own.shared = roster?.shared.first?.id
      return own
    }
    if opened.means == .machine, let id = try identity()?.id, roster?.machines.contains(where: { $0.id == id }) == true
    {
      own.machine = id
    }
    if let recipient = opened.recipient {
      own.shared = recipient
    } else {
      let known = try copies.knownMeans().ids
      own.shared = try opener.sharedMeans(of: header, opened.means, known: known, asksScrypt: asksScrypt)
    }
    return own
  }
}
