package import AcctModel
import AcctPorts
import AcctProtocol
import Release

/// Changes to accounts that need no server: switch, rename, allow, remove.
package struct ChangeAccounts: Sendable {
  private let context: EngineContext
  private let accountStore: AccountStore

  package init(_ context: EngineContext) {
    self.context = context
    accountStore = context.accountStore
  }

  /// Makes an account the active one.
  package func activate(_ account: Account) async throws(EngineError) {
    try await accountStore.exclusively { () throws(EngineError) in
      // Read again under the lock: it may have been removed since it was found.
      guard try accountStore.account(account.id) != nil else { throw .removed(account) }
      try accountStore.setActive(accountStore.active().switched(to: account.id))
    }
  }

  /// The account that was active before the present one.
  package func previous() throws(EngineError) -> Account {
    guard let id = try accountStore.active().previous, let account = try accountStore.account(id) else {
      throw try accountStore.listing().accounts.isEmpty
        ? .selection(.noAccounts) : .selection(.noPrevious)
    }
    return account
  }

  /// The account that `switch` without a name means: the other one of two, or the only one.
  ///
  /// - Returns: The account, or `nil` if there are more to choose from.
  package func other() throws(EngineError) -> Account? {
    let accounts = try accountStore.listing().accounts
    guard !accounts.isEmpty else { throw .selection(.noAccounts) }
    let current = try accountStore.active().current
    let others = accounts.filter { $0.id != current }
    return accounts.count <= 2 ? others.first ?? accounts.first : nil
  }

  /// Gives an account a new name.
  package func rename(_ account: Account, to name: AccountName) async throws(EngineError) -> Account {
    try await context.withExclusiveRecord(of: account) { (shared) throws(EngineError) -> Account in
      // No other process may take the name meanwhile.
      try await accountStore.exclusively { () throws(EngineError) -> Account in
        try change(account, sharing: shared) { (account: inout Account) throws(EngineError) in
          guard account.name != name else { return }
          let isTaken = try accountStore.listing().accounts.contains { $0.name == name }
          guard !isTaken else { throw .selection(.nameTaken(name)) }
          account.rename(to: name)
        }
      }
    }
  }

  /// Allows an account's credentials to be sent to one more origin, or gives the account a place there.
  package func allow(_ place: Place, for account: Account) async throws(EngineError) -> Account {
    try await change(account) { (account: inout Account) throws(EngineError) in
      account.allowPlaces([place])
      context.note(.allowed, of: &account, at: place.origin)
    }
  }

  /// Revokes a place, and its origin with the last one; or an origin with all its places.
  package func revoke(_ place: Place, from account: Account) async throws(EngineError) -> Account {
    try await change(account) { (account: inout Account) throws(EngineError) in
      let own = account.origins
      account.revokePlace(place)
      guard account.origins != own else { throw .authorization(.originUnknown(place, account: account.name)) }
    }
  }

  /// Deletes every local trace of an account.
  ///
  /// The secrets are deleted first: after an interruption the account is still listed, as signed
  /// out, and can be removed again; in the other order, unknown secrets would stay.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - revoking: `true` to ask the server to end the session.
  /// - Returns: The results at the server, and for a key in a token.
  /// - Throws: ``EngineError``; then the account is unchanged.
  @discardableResult
  package func remove(_ account: Account, revoking: Bool) async throws(EngineError) -> [Notice] {
    // What an `exec` of the account that was killed has left.
    _ = context.world.maintenance.sweep()
    // The engine's object need not open to be removed; the next call checks that the engine is available.
    let (removed, key) = try await context.withExclusiveAccess(to: account, allowingCopy: true) {
      (account, credentialStore) throws(EngineError) -> (Removed, StoredHardwareKey?) in
      try await credentialStore.prepare()
      var notices: [Notice] = []
      if revoking, let notice = try await revoke(account, credentialStore) { notices.append(notice) }
      let key = await tokenKey(of: account, credentialStore)
      let access = revoking ? await registrationAccess(of: account, credentialStore) : nil
      if let left = try await removeItems(of: account.id, called: account.name.description, in: credentialStore.keyring)
      {
        notices.append(left)
      }
      try forgetIdentity(of: account)
      if let notice = await log(account) { notices.append(notice) }
      try await context.forget(account.id)
      return (Removed(account: account, notices: notices, access: access), key)
    }
    // Its session is ended with the client, so the client goes last.
    let unused = await UnusedClient(context).drop(of: removed.account, removed.access)
    let notices = removed.notices + [unused].compactMap(\.self)
    // The last step: an account that could not be removed still needs its key.
    guard let key, let notice = await context.devices?.remove(key, of: account, context) else { return notices }
    return notices + [notice]
  }

  /// Keeps the history of an account that is about to go; on failure with a notice, since it must be removable all the same.
  private func log(_ account: Account) async -> Notice? {
    do throws(EngineError) {
      guard try !context.isShared(account) else { return nil }
      var account = account
      context.note(.removed, of: &account)
      let uses = UseLog(context).uses(of: account.id).last(Removals.useLimit)
      let removed = RemovedAccount(id: account.id, name: account.name, history: account.history, uses: uses)
      try await accountStore.exclusively { () throws(EngineError) in
        do throws(FilesFailure) { try Removals(context.world).add(removed) } catch { throw .files(.failed(error)) }
      }
      return nil
    } catch {
      return .removalNotLogged(account: account.name, because: error)
    }
  }

  /// An account that is gone, with what is left to be done for it.
  private struct Removed {
    var account: Account
    var notices: [Notice]
    var access: RegistrationAccess?
  }

  /// The access to its client's registration; `nil` on failure, since the account must be removable all the same.
  private func registrationAccess(
    of account: Account,
    _ credentialStore: CredentialStore
  ) async -> RegistrationAccess? {
    guard account.client.isRegistered else { return nil }
    return try? await credentialStore.registrationAccess()
  }

  /// The account's key in a token; `nil` on failure, since the account must be removable all the same.
  private func tokenKey(of account: Account, _ credentialStore: CredentialStore) async -> StoredHardwareKey? {
    guard account.keyStorage == .pkcs11 else { return nil }
    return try? await credentialStore.storedHardwareKey()
  }

  /// Deletes an account whose file can't be read, by its identifier.
  ///
  /// Only its identifier is known, which names its keyring items; the session can't be ended at
  /// the server.
  package func removeDamaged(_ id: AccountID) async throws(EngineError) -> Notice? {
    _ = context.world.maintenance.sweep()
    let keyring = try KeyringChoice(context.world).decided()
    return try await accountStore.exclusively(id) { () throws(EngineError) -> Notice? in
      let left = try await removeItems(of: id, called: id.description, in: keyring)
      try await context.forget(id)
      return left
    }
  }

  /// Removes every item of an account.
  ///
  /// - Returns: A notice of items in a locked part of the keyring, which stay there.
  private func removeItems(
    of id: AccountID,
    called name: String,
    in keyring: Keyring
  ) async throws(EngineError) -> Notice? {
    do throws(EngineError) { try await CredentialStore.removeAll(of: id, in: keyring, context) } catch .keyring(
      .failed(.locked(_, openedBy: .part(let part)), _)
    ) {
      return .itemsLeft(account: name, in: part)
    }
    return nil
  }

  /// Removes a shared account that has no file here, since its object on the engine does not open.
  ///
  /// - Returns: `true` if the engine had it.
  package func removeUnopened(_ id: AccountID) async throws(EngineError) -> Bool {
    guard let shared = try context.sharedPlace() else { return false }
    return try await accountStore.exclusively(id) { () throws(EngineError) -> Bool in
      guard try accountStore.contents(of: id) == nil, try shared.has(id) else { return false }
      try shared.remove(id)
      return true
    }
  }

  /// Removes the cached lookup of the DID: a trace as well, if only of the last few minutes.
  private func forgetIdentity(of account: Account) throws(EngineError) {
    guard let did = account.did else { return }
    do { try context.world.files.remove(.identity(did)) } catch { throw .files(.failed(error)) }
  }

  private func revoke(_ account: Account, _ credentialStore: CredentialStore) async throws(EngineError) -> Notice? {
    if account.kind == .static {
      let isUsable = account.lastKnownState(at: context.world.clock.now()).state == .valid
      return isUsable ? .tokenStays(account: account.name) : nil
    }
    let credentials: Credentials
    do throws(EngineError) {
      credentials = try await credentialStore.readForRenewal()
    } catch .keyring(.damagedItem) {
      // An account must be removable whatever the state of its items.
      return .notRevoked(account: account.name, .damaged)
    } catch .keyring(.halfReplaced) {
      return .notRevoked(account: account.name, .damaged)
    }
    return await Revocation(context).revoke(credentials)
  }

  /// Reads an account again under its lock, changes it and saves it; another account's change waits for none of this.
  private func change(
    _ account: Account,
    _ body: (inout Account) throws(EngineError) -> Void
  ) async throws(EngineError) -> Account {
    try await context.withExclusiveRecord(of: account) { (shared) throws(EngineError) -> Account in
      try change(account, sharing: shared, body)
    }
  }

  /// The same for a caller that holds the account's lock.
  private func change(
    _ account: Account,
    sharing shared: (any AccountPlace)?,
    _ body: (inout Account) throws(EngineError) -> Void
  ) throws(EngineError) -> Account {
    guard var current = try accountStore.account(account.id) else { throw .removed(account) }
    try body(&current)
    try accountStore.save(current, sharing: shared)
    return current
  }
}
