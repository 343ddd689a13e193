package import AcctModel
import AcctPorts

/// Replaces an account's credentials; whenever that is interrupted, either the old or the new ones are complete.
///
/// A keyring writes one item after the other, and a new key makes the old token useless at once. So the new ones are
/// first written beside the old, under a separate identifier:
///
/// 1. The account's file notes their place, so that no secret is left without a trace.
/// 2. They are written there. Up to here the old ones are complete, and the account's.
/// 3. The file is replaced by the new account's, with the note that its credentials are complete there. It is one
///    atomic write; from then on the new ones are the account's.
/// 4. They are copied over the old ones, and old items without a new one are removed.
/// 5. The note is changed to incomplete, the items there are removed, and the note is deleted.
///
/// The note does not block readers of the old credentials. A process that reads or writes an account with the note of
/// step 3 finishes steps 4 and 5 first, under the account's lock; so does one that begins another change.
///
/// A shared keyring takes the account and all its items in one step, and needs no second place.
package struct ReplaceCredentials: Sendable {
  private let context: EngineContext
  private let accountStore: AccountStore

  package init(_ context: EngineContext) {
    self.context = context
    accountStore = context.accountStore
  }

  /// Replaces an account; the caller holds its lock, and not the book's.
  ///
  /// - Parameters:
  ///   - known: The account as it is, settled.
  ///   - account: The account with its changes, perhaps under another name.
  ///   - items: Its credentials.
  ///   - keyring: The keyring that holds them.
  ///   - waits: `true` to wait for a keyring that can't store them now.
  ///   - activates: `true` to make it the active account.
  /// - Throws: ``EngineError``; then the account is unchanged.
  func replace(
    _ known: Account,
    with account: Account,
    _ items: [Keyring.Item],
    in keyring: Keyring,
    waits: Bool,
    activates: Bool
  ) async throws(EngineError) {
    let credentialStore = CredentialStore(of: account, in: keyring, context)
    if credentialStore.shared != nil { return try await exchangeAtOnce(items, in: credentialStore, waits, activates) }
    let place = context.world.entropy.accountID()
    let noted = known.noting(place, isWhole: false)
    do throws(EngineError) {
      try accountStore.save(noted)
      let beside = CredentialStore(of: account.renumbered(place), in: keyring, context)
      if waits {
        try await KeyringRetry(context).write(items, with: beside.account, to: beside)
      } else {
        try await beside.write(items)
      }
      try await exchange(known, for: account.noting(place, isWhole: true), activates)
    } catch {
      // The file may hold the new account after all: a write that fails may have been done. A change that can't be
      // reverted now is reverted by the next one; the first failure is the one to report.
      try? await takeBack(noted)
      throw error
    }
    // Nothing is lost by a failure from here on: the next use of the credentials finishes this.
    _ = try? await settled(account.noting(place, isWhole: true))
  }

  /// Finishes an interrupted replacement; the caller holds the account's lock.
  ///
  /// - Parameter account: The account as its file has it now.
  /// - Returns: The account, with its credentials in their own place.
  /// - Throws: ``EngineError`` if the keyring or the file can't be written now.
  package func settled(_ account: Account) async throws(EngineError) -> Account {
    guard let incoming = account.incoming else { return account }
    let keyring = try KeyringChoice(context.world).keyring(of: account)
    if incoming.isWhole {
      let items = try await CredentialStore(of: account.renumbered(incoming.place), in: keyring, context)
        .items(ItemKind.allCases)
      // If another program has removed them, the rest of the old ones is still of use.
      if !items.isEmpty {
        try await CredentialStore(of: account, in: keyring, context)
          .replaceAll(with: StoredAccount(account: account, items: items).orderedItems)
      }
      // The note first: half-removed items must not be taken for complete ones.
      try accountStore.save(account.noting(incoming.place, isWhole: false))
    }
    try await CredentialStore.removeAll(of: incoming.place, in: keyring, context)
    var account = account
    account.incoming = nil
    try accountStore.save(account)
    return account
  }

  /// Exchanges everything in one step, which a shared keyring supports.
  private func exchangeAtOnce(
    _ items: [Keyring.Item],
    in credentialStore: CredentialStore,
    _ waits: Bool,
    _ activates: Bool
  ) async throws(EngineError) {
    let account = credentialStore.account
    let active = try accountStore.active()
    // First, as below: a failure after the decisive step would have to be undone.
    if activates {
      try await accountStore.exclusively { () throws(EngineError) in
        try accountStore.setActive(accountStore.active().switched(to: account.id))
      }
    }
    do throws(EngineError) {
      guard waits else { return try await credentialStore.replaceAll(with: items) }
      try await KeyringRetry(context).run(for: account.name.description) {
        (interaction) async throws(EngineError) in
        var credentialStore = credentialStore
        credentialStore.context.interaction = interaction
        try await credentialStore.replaceAll(with: items)
      }
    } catch {
      guard activates else { throw error }
      try? await accountStore.exclusively { () throws(EngineError) in
        guard try accountStore.active() == active.switched(to: account.id) else { return }
        try accountStore.setActive(active)
      }
      throw error
    }
  }

  /// Makes the new account the valid one.
  private func exchange(_ known: Account, for account: Account, _ activates: Bool) async throws(EngineError) {
    try await accountStore.exclusively { () throws(EngineError) in
      if account.name != known.name { try accountStore.requireFree(account.name) }
      let active = try accountStore.active()
      // Before the decisive write, since a failure after it would have to undo it.
      if activates { try accountStore.setActive(active.switched(to: account.id)) }
      do throws(EngineError) { try accountStore.save(account) } catch {
        if activates { try? accountStore.setActive(active) }
        throw error
      }
    }
  }

  private func takeBack(_ noted: Account) async throws(EngineError) {
    try accountStore.save(noted)
    _ = try await settled(noted)
  }
}

extension Account {
  /// Returns a copy with a note of the place of new credentials.
  fileprivate func noting(_ place: AccountID, isWhole: Bool) -> Account {
    var account = self
    account.incoming = Incoming(place: place, isWhole: isWhole)
    return account
  }
}
