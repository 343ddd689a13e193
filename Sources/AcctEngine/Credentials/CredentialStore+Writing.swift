import AcctModel
import AcctPorts
import AcctProtocol

/// What is written of an account's credentials.
///
/// A keyring of this machine takes one item after the other; the account's file is written by itself, after them. A
/// keyring that several machines share takes items and account in one step, so that no machine sees one without the
/// other.
extension CredentialStore {
  /// The accounts of the keyring, if other machines share it.
  var shared: SharedRecords? { SharedRecords(in: keyring, context) }

  /// Takes the right to send what spends the account's credentials.
  ///
  /// On this machine that is the account's lock, which the caller holds. Of the machines that share a keyring one has
  /// the right at a time, and for a limited time; the others wait. What is stored next ends it.
  ///
  /// - Parameter account: As it was read, with the note that a renewal is in flight.
  /// - Returns: What to ask just before each request is sent; `nil` where the keyring is this machine's.
  /// - Throws: ``KeyringError/changedElsewhere(_:)`` where it is no more as it was read, and nothing may be sent.
  func claim(_ account: Account) async throws(EngineError) -> (@Sendable () -> Bool)? {
    try await shared?.claim(account).maySend
  }

  /// Ends a claim that brought nothing to store.
  func letGo(_ account: Account) throws(EngineError) { try shared?.store(account, .unchanged) }

  /// Stores items in the place of those of their kinds.
  ///
  /// - Parameters:
  ///   - items: In the order in which they are written.
  ///   - account: As it is with them, where that differs. It is stored here only if the keyring is shared.
  /// - Throws: ``EngineError`` where they were not stored.
  func write(_ items: [Keyring.Item], with account: Account? = nil) async throws(EngineError) {
    if let shared { return try shared.store(account ?? self.account, .merging(items)) }
    guard !items.isEmpty else { return }
    do { try await keyring.write(self.account.id, items, context.interaction) } catch {
      throw .keyring(.failed(error, keyring.kind))
    }
  }

  /// Saves the account, whose items stay.
  func save(_ account: Account) throws(EngineError) { try context.accountStore.save(account, sharing: shared) }

  /// Saves the account after its items were written with it, which is done already if the keyring is shared.
  func saveWritten(_ account: Account) throws(EngineError) {
    if shared == nil { try context.accountStore.save(account) }
  }

  /// Stores a new account: its items first, then its file.
  ///
  /// - Parameters:
  ///   - items: In the order in which they are written.
  ///   - isAlone: Whether no other item can lie under its identifier.
  /// - Throws: ``EngineError``; a part may have been stored.
  func storeNew(_ items: [Keyring.Item], isAlone: Bool) async throws(EngineError) {
    if isAlone && shared == nil {
      try await write(items)
    } else {
      try await replaceAll(with: items)
    }
    try saveWritten(account)
  }

  /// Stores these items and removes every other that an account can have.
  func replaceAll(with items: [Keyring.Item]) async throws(EngineError) {
    if let shared { return try shared.store(account, .replacing(items)) }
    try await write(items)
    let written = items.map(\.kind)
    let others = ItemKind.allCases.filter { !written.contains($0) }
    if !others.isEmpty { try await remove(others) }
  }

  /// Removes items; those that are not there are no error.
  func remove(_ kinds: [ItemKind]) async throws(EngineError) {
    do { try await keyring.remove(account.id, kinds, context.interaction) } catch {
      throw .keyring(.failed(error, keyring.kind))
    }
  }

  /// Removes every item of the account, and from a shared keyring the account itself.
  func removeAll() async throws(EngineError) { try await Self.removeAll(of: account.id, in: keyring, context) }

  /// The same for an account of which only the identifier is known.
  static func removeAll(of id: AccountID, in keyring: Keyring, _ context: EngineContext) async throws(EngineError) {
    if let shared = SharedRecords(in: keyring, context) { return try shared.remove(id) }
    do { try await keyring.remove(id, ItemKind.allCases, context.interaction) } catch {
      throw .keyring(.failed(error, keyring.kind))
    }
  }
}

/// Credentials that belong together.
///
/// While new credentials are copied over the old ones a token may stand beside a key that it is not
/// bound to: a request with both would be refused, and a renewal may end the session. The
/// account's file says which key it is, and whether a copy is under way.
extension CredentialStore {
  /// Makes sure that a key is the one that the account's tokens are bound to.
  ///
  /// - Throws: ``KeyringError/halfReplaced(_:)``.
  func requireOwn(_ key: DPoPKey?) throws(EngineError) {
    guard let key, account.tokenType == .dpop, let thumbprint = account.thumbprint, thumbprint != key.thumbprint
    else { return }
    throw .keyring(.halfReplaced(account.name))
  }

  /// Reads what is needed to make an authorized request, with the account as it is then.
  ///
  /// No lock is held to read; but where another process is just replacing the credentials, it is
  /// waited for, and if it was interrupted, its work is ended first.
  ///
  /// - Parameters:
  ///   - account: Whose credentials.
  ///   - context: Everything outside.
  /// - Returns: The account, and its credentials.
  /// - Throws: ``EngineError``; ``KeyringError/halfReplaced(_:)`` if the process that replaced them
  ///   was interrupted.
  static func readWhole(of account: Account, in context: EngineContext) async throws(EngineError) -> Credentials {
    if account.incoming?.isWhole != true {
      do throws(EngineError) {
        return try await CredentialStore(of: account, in: context).read()
      } catch .keyring(.halfReplaced) {}
    }
    // To use what there is takes no engine: it is asked for a renewal, or after a refusal.
    return try await context.withExclusiveAccess(to: account, allowingCopy: true) {
      (_, credentialStore) throws(EngineError) in
      try await credentialStore.read()
    }
  }
}
