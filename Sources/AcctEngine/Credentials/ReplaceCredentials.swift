import AcctModel
import AcctPorts

/// Puts new credentials in the place of an account's old ones: wherever that ends, the old or the
/// new are whole.
///
/// A keyring writes one item after the other, and a new key makes the old token useless at once. So
/// the new ones are first written beside the old, under an identifier of their own:
///
/// 1. The account's file notes where they will lie, so that no secret is left without a trace.
/// 2. They are written there. Up to here the old ones are whole, and the account's.
/// 3. The file is replaced by the new account's, with the note that its credentials lie there
///    whole. It is one atomic write, and from it on the new ones are the account's.
/// 4. They are copied over the old ones, and what they have no item for is removed.
/// 5. The note is taken back, what lies there is removed, and the note goes.
///
/// The note does not block readers of the old credentials. A process that reads or writes an
/// account with the note of step 3 ends steps 4 and 5 first, under the account's lock; so does
/// one that begins another change.
///
/// A shared keyring takes the account and all its items in one step, and needs no second place.
struct ReplaceCredentials: Sendable {
  private let context: EngineContext
  private let accountStore: AccountStore

  init(_ context: EngineContext) {
    self.context = context
    accountStore = context.accountStore
  }

  /// Replaces an account; the caller holds its lock, and not the book's.
  ///
  /// - Parameters:
  ///   - known: The account as it is, settled.
  ///   - account: The same as it shall be, perhaps under another name.
  ///   - items: Its credentials.
  ///   - keyring: Where they are kept.
  ///   - waits: Whether a keyring that can't take them now is waited for.
  ///   - activates: Whether it becomes the active account.
  /// - Throws: ``EngineError``; then it is as it was.
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
      // The file may tell of the new account after all: a write that fails may have been done. What
      // can't be taken back now goes with the next change; the first failure is the one to tell.
      try? await takeBack(noted)
      throw error
    }
    // Nothing is lost by a failure from here on: the next use of the credentials ends this.
    _ = try? await settled(account.noting(place, isWhole: true))
  }

  /// Ends what was begun and interrupted; the caller holds the account's lock.
  ///
  /// - Parameter account: The account as its file tells of it now.
  /// - Returns: The account, with its credentials in their own place.
  /// - Throws: ``EngineError`` if the keyring or the file can't be written now.
  func settled(_ account: Account) async throws(EngineError) -> Account {
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
      // First the note: half removed, they must not be taken for whole.
      try accountStore.save(account.noting(incoming.place, isWhole: false))
    }
    try await CredentialStore.removeAll(of: incoming.place, in: keyring, context)
    var account = account
    account.incoming = nil
    try accountStore.save(account)
    return account
  }

  /// Exchanges all in one step, which a shared keyring does.
  private func exchangeAtOnce(
    _ items: [Keyring.Item],
    in credentialStore: CredentialStore,
    _ waits: Bool,
    _ activates: Bool
  ) async throws(EngineError) {
    let account = credentialStore.account
    let active = try accountStore.active()
    // As below: first, since what fails after the step that decides would have to undo it.
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

  /// Makes the new account the one that counts.
  private func exchange(_ known: Account, for account: Account, _ activates: Bool) async throws(EngineError) {
    try await accountStore.exclusively { () throws(EngineError) in
      if account.name != known.name { try accountStore.requireFree(account.name) }
      let active = try accountStore.active()
      // Before the write that decides, since whatever failed after it would have to undo it.
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
  /// The same with a note of where new credentials lie.
  fileprivate func noting(_ place: AccountID, isWhole: Bool) -> Account {
    var account = self
    account.incoming = Incoming(place: place, isWhole: isWhole)
    return account
  }
}
