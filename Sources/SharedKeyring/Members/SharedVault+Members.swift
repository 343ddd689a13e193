import AcctCrypto
import AcctModel
import AcctPorts
import Vault

/// The members of a keyring: a machine joins by a code that one of them approves.
extension SharedVault {
  var membership: SharedMembership {
    SharedMembership(
      request: { settings, tpm, interaction, announce async throws(SharedMembershipFailure) in
        try await self.request(settings, keyIn: tpm, interaction, announce)
      },
      approve: { code, interaction throws(SharedMembershipFailure) in try self.approve(code, interaction) },
      machines: { interaction throws(SharedMembershipFailure) in try self.machines(interaction) },
      rekey: { change, interaction throws(SharedMembershipFailure) in try self.rekey(change, interaction) },
      ownItem: { (try? self.identity())?.key?.item }
    )
  }

  /// Joins a keyring by a code.
  ///
  /// This machine's key of before, if it has one, stays until the new one has opened the keyring.
  func request(
    _ settings: SharedKeyringSettings,
    keyIn tpm: TPMAddress?,
    _ interaction: Interaction,
    _ announce: @Sendable (String) -> Void
  ) async throws(SharedMembershipFailure) {
    let session = try whole { () throws(KeyringFailure) in try self.session(settings) }
    let (object, standing) = try whole { () throws(KeyringFailure) in try rawHeader(session) }
    guard case .epochs(let header) = try whole({ () throws(KeyringFailure) in try parse(object.bytes) })
    else { throw .formerForm }
    let own = try whole { () throws(KeyringFailure) in try identity() }
    if own?.key != nil, header.recipients.contains(where: { $0.line.id == own?.id }) {
      guard try whole({ () throws(KeyringFailure) in try self.settings() }) == nil else { throw .member }
      // It was let in, and stopped before it knew.
      return try whole { () throws(KeyringFailure) in try enter(session, object, standing, interaction) }
    }
    // A key of its own for each time: the one of a machine that was removed is not used again.
    let asking = try whole { () throws(KeyringFailure) in
      try forgetAsking()
      if let tpm { return try makeMachineKey(in: MachineIdentity.askingName, tpm) }
      return try makeMachineKey(in: MachineIdentity.askingName, interaction)
    }
    do throws(SharedMembershipFailure) {
      let found = try await approved(asking, own, session, announce)
      try whole { () throws(KeyringFailure) in
        try enter(session, found.object, found.standing, as: asking.identity, interaction)
      }
    } catch {
      try? forgetAsking()
      throw error
    }
    try whole { () throws(KeyringFailure) in
      if let place = own?.key { try forgetKey(place) }
      try copies.remove(MachineIdentity.askingName, in: copies.folder)
    }
  }

  /// Shows a code, and waits until a member has approved it.
  private func approved(
    _ asking: (identity: MachineIdentity, publicKey: P256PublicKey),
    _ own: MachineIdentity?,
    _ session: Session,
    _ announce: @Sendable (String) -> Void
  ) async throws(SharedMembershipFailure) -> (object: SharedStore.Object, standing: SharedStore.Standing) {
    let code = JoinCode(entropy)
    let place = session.places.request(code.place)
    try whole { () throws(KeyringFailure) in
      let request = JoinRequest(
        publicKey: asking.publicKey,
        name: machine.hostName(),
        version: version,
        at: machine.now(),
        formerly: own?.id ?? "",
        keyPlace: asking.identity.key?.kind
      )
      let sealed = try sealed(request, code)
      guard try ask({ () throws(SharedStoreFailure) -> Int64? in try session.store.swap(place, sealed, nil) }) != nil
      else { throw .failed(reason: "another request is in the place of this one") }
    }
    announce(code.text)
    defer { withdraw(place, session) }
    let end = machine.bootTime() + JoinRequest.lifetime * 1000
    while machine.bootTime() < end {
      guard await machine.pause(1_000) else { throw .keyring(.cancelled) }
      do throws(KeyringFailure) {
        if let found = try approved(asking.identity.id, session) { return found }
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
  ) throws(KeyringFailure) -> (object: SharedStore.Object, standing: SharedStore.Standing)? {
    let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(session.places.header) }
    guard let object = reading.object, case .epochs(let header) = try parse(object.bytes),
      header.recipients.contains(where: { $0.line.id == id })
    else { return nil }
    return (object, reading.standing)
  }

  /// Takes a request back; one that stays is too old in ten minutes.
  private func withdraw(_ place: String, _ session: Session) {
    guard let object = (try? session.store.get(place))?.object else { return }
    _ = try? session.store.swap(place, nil, object.version)
  }

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
      let member = Roster.Member(
        publicKey: request.publicKey,
        name: roster.unusedName(request.name),
        since: machine.now(),
        version: request.version,
        request: code.place,
        by: machine.hostName(),
        formerly: request.formerly,
        keyPlace: request.keyPlace
      )
      guard !roster.machines.contains(where: { $0.id == member.id }) else { throw .forgedRequest }
      guard header.recipients.count < KeyringHeader.recipientLimit else { throw .tooMany }
      roster.machines.append(member)
      roster.generation += 1
      header.removals.removeAll { $0.id == member.id }
      do throws(CryptoError) {
        try header.add(member.publicKey, .machine, opened.current)
        try header.put(roster, opened.current, entropy)
      } catch {
        throw .keyring(KeyringFailure(error))
      }
      if try replace(header, version, opened, session) { return member.name }
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
      guard try parse(contents) == .epochs(header) else { throw .damagedHeader("its new header is not what it was") }
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

  private func rawHeader(
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
  /// The machine that was let in by a code, whether it still is a member or not, and who did so.
  fileprivate func approval(by code: JoinCode) -> (by: String, machine: String)? {
    if let member = machines.first(where: { $0.request == code.place }) { return (member.by, member.name) }
    return removed.first { $0.request == code.place }.map { ($0.approvedBy, $0.name) }
  }

  /// A host's name, with a number where a machine has it, or had it.
  func unusedName(_ name: String, besides others: Set<String> = []) -> String {
    let taken = others.union(machines.map(\.name)).union(removed.map(\.name))
    guard taken.contains(name) else { return name }
    var number = 2
    while taken.contains("\(name)-\(number)") { number += 1 }
    return "\(name)-\(number)"
  }
}
