import AcctPorts

/// This machine as one that vouches for means of opening the keyring.
struct Signer: Sendable {
  /// The identifier of its key.
  let machine: String
  let keyring: [UInt8]
  /// Seconds since 1970.
  let at: Int64
  private let sign: @Sendable ([UInt8]) throws(KeyringFailure) -> [UInt8]

  /// - Returns: `nil` for a key that can't sign.
  init?(_ key: RecipientKey, _ machine: String, keyring: [UInt8], at: Int64) {
    guard let sign = key.sign else { return nil }
    (self.machine, self.keyring, self.at, self.sign) = (machine, keyring, at, sign)
  }

  /// Makes a voucher for a means.
  func voucher(_ act: Voucher.Act, for means: String, named name: String = "") throws(KeyringFailure) -> Voucher {
    let message = Voucher.message(act, keyring, means: means, name: name, at: at)
    return Voucher(act: act, machine: machine, at: at, signature: try sign(message))
  }

  /// Adds a voucher to an entry.
  func vouch(_ act: Voucher.Act, for entry: inout some Vouched) throws(KeyringFailure) {
    entry.add(try voucher(act, for: entry.id, named: entry.signedName))
  }
}

extension SharedVault {
  /// This machine, if it is a member with a key of its own that can be used now and can sign.
  ///
  /// A means without a signature opens the keyring as well; other machines ask about it when the key changes. So a key
  /// that is locked stops nothing.
  func signer(_ roster: Roster, keyring: [UInt8], _ interaction: Interaction) throws(KeyringFailure) -> Signer? {
    guard let own = try identity(), let place = own.key, place.kind == .software,
      roster.machines.contains(where: { $0.id == own.id })
    else { return nil }
    do throws(KeyringFailure) {
      return Signer(try machineKey(place, interaction), own.id, keyring: keyring, at: machine.now())
    } catch {
      guard case .locked = error else { throw error }
      return nil
    }
  }
}
