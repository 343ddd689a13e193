package import AcctModel
import AcctPorts
package import AcctProtocol
import Secrets

/// The place where a new DPoP key is made.
package enum KeyPlace: Sendable {
  /// On this machine; it is stored in the keyring.
  case software
  /// In a device, which makes it.
  case device(@Sendable (EngineContext) async throws(EngineError) -> DPoPKey)
}

/// The user's options for the key of a sign-in.
package struct KeyRequest: Sendable {
  /// `nil` to keep the place of the account's key; a new account's key is a software key.
  package var place: KeyPlace?
  /// The account's future name, which selects among accounts that may be meant.
  package var accountName: AccountName?
  /// The account that is signed in to again, if that is certain.
  @Boxed var account: Account? = nil

  package init(place: KeyPlace? = nil, accountName: AccountName? = nil) {
    self.place = place
    self.accountName = accountName
  }

  init(place: KeyPlace?, account: Account) {
    self.place = place
    self.account = account
  }

  /// `true` if the user wants the key in a device.
  var isForDevice: Bool { if case .device? = place { true } else { false } }

  /// Makes the key.
  ///
  /// A key in a device is made before the user signs in, since the request to the server names it.
  ///
  /// - Parameters:
  ///   - context: Gives access to accounts and devices.
  ///   - isLikely: Returns `true` for an account that the sign-in may be to again. Its key's place is kept: an account
  ///     that has its key in a device never gets a software key by itself.
  /// - Returns: The key.
  /// - Throws: ``KeyError/unusable(_:)``, and the errors of the device.
  func make(_ context: EngineContext, likely isLikely: (Account) -> Bool) async throws(EngineError) -> DPoPKey {
    switch place {
    case .software: return try software()
    case .device(let make): return try await make(context)
    case nil:
      let accounts = if let account { [account] } else { try likely(context, isLikely) }
      guard accounts.contains(where: { $0.keyStorage != .software }) else { return try software() }
      guard let devices = context.devices else { throw .key(.unusable(.unsupportedStorage)) }
      return try await devices.make(besideThoseOf: accounts, context)
    }
  }

  /// The accounts that may be meant.
  private func likely(_ context: EngineContext, _ isLikely: (Account) -> Bool) throws(EngineError) -> [Account] {
    let accounts = try context.accountStore.listing().accounts.filter(isLikely)
    return accounts.first { $0.name == accountName }.map { [$0] } ?? accounts
  }

  private func software() throws(EngineError) -> DPoPKey {
    do { return try DPoPKey.generate() } catch { throw .key(.unusable(error)) }
  }
}
