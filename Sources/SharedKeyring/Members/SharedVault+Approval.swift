import AcctCrypto
import AcctModel
import AcctPorts
import Vault

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
