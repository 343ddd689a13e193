package import AcctEngine
import AcctModel
import AcctProtocol
import KeyDevices

/// Removes the keys that acct made in tokens; a TPM stores none.
package struct RemoveHardwareKey: Sendable {
  private let context: EngineContext
  private let devices: Devices

  package init(_ context: EngineContext) { self.init(context, context.ownDevices) }

  init(_ context: EngineContext, _ devices: Devices) {
    self.context = context
    self.devices = devices
  }

  /// Removes the key that a new sign-in has replaced.
  ///
  /// - Returns: A notice about the removal, or its failure.
  package func removeReplaced(_ added: AddAccount.Added, by credentials: NewCredentials) async -> Notice? {
    guard let stored = context.replacedKey(of: added),
      stored.thumbprint != credentials.key?.thumbprint,
      // If the token had lost the old key, the new one may have its name.
      !isSameObject(stored, credentials.key?.hardware?.stored)
    else { return nil }
    return await remove(stored, of: added.account)
  }

  /// Returns `true` if both refer to one object, whatever else the URIs state about its token.
  private func isSameObject(_ one: StoredHardwareKey, _ other: StoredHardwareKey?) -> Bool {
    let (one, other) = ((try? KeptKey(one))?.reference, other.flatMap { try? KeptKey($0) }?.reference)
    guard case .pkcs11(let one)? = one, case .pkcs11(let other)? = other else { return one == other }
    return (one.token, one.serial, one.object, one.id) == (other.token, other.serial, other.object, other.id)
  }

  /// Removes an account's key from its token, unless it was there before or another account uses it, too.
  ///
  /// - Returns: A notice about the removal, or its failure.
  func remove(_ stored: StoredHardwareKey, of account: Account) async -> Notice? {
    guard let kept = try? KeptKey(stored), case .pkcs11(let uri) = kept.reference, kept.isMade else { return nil }
    // An account that can't be read may use the key, too.
    guard let listing = try? context.accountStore.listing(), listing.damaged.allSatisfy({ $0 == account.id }) else {
      return .keyLeft(uri, .failed(reason: "not every account can be read, and one of them may use it"))
    }
    let isShared = listing.accounts.contains { $0.id != account.id && $0.thumbprint == stored.thumbprint }
    guard !isShared else { return nil }
    do throws(HardwareKeyFailure) {
      try await devices.remove(uri, context)
      return .keyRemoved(of: account.name)
    } catch .gone {
      return nil
    } catch {
      return .keyLeft(uri, error)
    }
  }
}

extension Devices {
  /// Removes a key from its token.
  func remove(_ uri: PKCS11URI, _ context: EngineContext) async throws(HardwareKeyFailure) {
    try await access(to: .pkcs11(uri)).use(in: context) { holder throws(HardwareKeyFailure) in
      try await hardware.pkcs11.remove(uri, holder)
    }
  }
}
