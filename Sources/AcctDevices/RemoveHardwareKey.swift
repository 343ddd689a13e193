import AcctModel
import AcctPorts
import AcctProtocol

/// Removes the keys that acct made in tokens; a TPM stores none.
package struct RemoveHardwareKey: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Removes the key that a new sign-in has replaced.
  ///
  /// - Returns: A notice about the removal, or its failure.
  package func removeReplaced(_ added: AddAccount.Added, by credentials: NewCredentials) async -> Notice? {
    guard let item = added.before?.items[.keypair],
      let stored = try? context.key(item, of: added.account).hardware?.stored,
      stored.thumbprint != credentials.key?.thumbprint,
      // If the token had lost the old key, the new one may have its name.
      !isSameObject(stored.reference, credentials.key?.hardware?.stored.reference)
    else { return nil }
    return await remove(stored, of: added.account)
  }

  /// Returns `true` if both refer to one object, whatever else the URIs state about its token.
  private func isSameObject(_ one: HardwareKeyReference, _ other: HardwareKeyReference?) -> Bool {
    guard case .pkcs11(let one) = one, case .pkcs11(let other)? = other else { return one == other }
    return (one.token, one.serial, one.object, one.id) == (other.token, other.serial, other.object, other.id)
  }

  /// Removes an account's key from its token, unless it was there before or another account uses it, too.
  ///
  /// - Returns: A notice about the removal, or its failure.
  func remove(_ stored: StoredHardwareKey, of account: Account) async -> Notice? {
    guard case .pkcs11(let uri) = stored.reference, stored.isMade else { return nil }
    // An account that can't be read may use the key, too.
    guard let listing = try? context.accountStore.listing(), listing.damaged.allSatisfy({ $0 == account.id }) else {
      return .keyLeft(uri: uri.description, because: .maybeInUse)
    }
    let isShared = listing.accounts.contains { $0.id != account.id && $0.thumbprint == stored.thumbprint }
    guard !isShared else { return nil }
    do throws(HardwareKeyFailure) {
      try await context.remove(uri)
      return .keyRemoved(account: account.name)
    } catch .gone {
      return nil
    } catch {
      return .keyLeft(uri: uri.description, because: error)
    }
  }
}

extension EngineContext {
  /// Removes a key from its token.
  func remove(_ uri: PKCS11URI) async throws(HardwareKeyFailure) {
    try await deviceKeys.access(to: .pkcs11(uri)).use(in: self) {
      holder throws(HardwareKeyFailure) in
      try await world.hardwareKeys.pkcs11.remove(uri, holder)
    }
  }
}
