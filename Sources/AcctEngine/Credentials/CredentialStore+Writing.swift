package import AcctModel
package import AcctPorts
import AcctProtocol
import Release

/// Writes of an account's credentials.
///
/// A keyring of this machine stores one item after the other, and the account's file is written separately, after
/// them. A shared keyring stores items and account in one step, so that no machine sees one without the other.
extension CredentialStore {
  /// The accounts of the keyring, if other machines share it.
  var shared: SharedRecords? { SharedRecords(in: keyring, context) }

  /// Claims the right to send a request that uses up the account's credentials.
  ///
  /// On this machine that is the account's lock, which the caller holds. Of the machines that share a keyring, one has
  /// the right at a time, for a limited time; the others wait. The next write ends it.
  ///
  /// - Parameter account: The account as it was read, with the note that a renewal is in flight.
  /// - Returns: The check to make just before each request is sent; `nil` where the keyring is this machine's.
  /// - Throws: ``KeyringError/changedElsewhere(_:)`` if it has changed since it was read; then nothing may be sent.
  func claim(_ account: Account) async throws(EngineError) -> (@Sendable () -> Bool)? {
    try await shared?.claim(account).maySend
  }

  /// Ends a claim without new credentials to store.
  func letGo(_ account: Account) throws(EngineError) { try shared?.store(account, .unchanged) }

  /// Stores items in place of those of their kinds.
  ///
  /// - Parameters:
  ///   - items: In the order in which they are written.
  ///   - account: The account after the change, if it differs. It is stored here only if the keyring is shared.
  /// - Throws: ``EngineError`` if they were not stored.
  package func write(_ items: [Keyring.Item], with account: Account? = nil) async throws(EngineError) {
    if let shared { return try shared.store(account ?? self.account, .merging(items)) }
    guard !items.isEmpty else { return }
    do { try await keyring.write(self.account.id, items, context.interaction) } catch {
      throw .keyring(.failed(error, keyring.kind))
    }
  }

  /// Saves the account, but not its items.
  func save(_ account: Account) throws(EngineError) { try context.accountStore.save(account, sharing: shared) }

  /// Saves the account after its items; a shared keyring has stored it with them already.
  func saveWritten(_ account: Account) throws(EngineError) {
    if shared == nil { try context.accountStore.save(account) }
  }

  /// Stores a new account: its items first, then its file.
  ///
  /// - Parameters:
  ///   - items: In the order in which they are written.
  ///   - isAlone: `true` if no other item can exist under its identifier.
  /// - Throws: ``EngineError``; a part may have been stored.
  func storeNew(_ items: [Keyring.Item], isAlone: Bool) async throws(EngineError) {
    if isAlone && shared == nil {
      try await write(items)
    } else {
      try await replaceAll(with: items)
    }
    try saveWritten(account)
  }

  /// Stores these items and removes every other item of the account.
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

  /// Removes every item of an account of which only the identifier is known.
  static func removeAll(of id: AccountID, in keyring: Keyring, _ context: EngineContext) async throws(EngineError) {
    if let shared = SharedRecords(in: keyring, context) { return try shared.remove(id) }
    do { try await keyring.remove(id, ItemKind.allCases, context.interaction) } catch {
      throw .keyring(.failed(error, keyring.kind))
    }
  }
}

/// Consistency of an account's credentials.
///
/// While new credentials are copied over the old ones, a token may be stored beside a key that it is not bound to: a
/// request with both would be rejected, and a renewal may end the session. The account's file names the right key, and
/// notes a copy in progress.
extension CredentialStore {
  /// Checks that a key is the one that the account's tokens are bound to.
  ///
  /// - Throws: ``KeyringError/halfReplaced(_:)``.
  func requireOwn(_ key: DPoPKey?) throws(EngineError) {
    guard let key, account.tokenType == .dpop, let thumbprint = account.thumbprint, thumbprint != key.thumbprint
    else { return }
    throw .keyring(.halfReplaced(account.name))
  }

  /// Checks that a certificate is the one that the account's file describes.
  ///
  /// - Throws: ``KeyringError/halfReplaced(_:)``.
  func requireOwn(_ certificate: CertifiedKey?) throws(EngineError) {
    guard let certificate, certificate.thumbprint != account.client.certificate?.thumbprint else { return }
    throw .keyring(.halfReplaced(account.name))
  }

  /// Reads the credentials for an authorized request, with the account as it is then.
  ///
  /// - Throws: ``EngineError``; ``KeyringError/halfReplaced(_:)`` if the process that replaced them was interrupted.
  package static func readWhole(of account: Account, in context: EngineContext) async throws(EngineError) -> Credentials
  {
    try await readingWhole(account, in: context) { credentialStore throws(EngineError) in
      try await credentialStore.read()
    }
  }

  /// Reads items of an account without a lock, and with it where they are being replaced.
  ///
  /// A replacement by another process is waited for, and an interrupted one is finished first.
  ///
  /// - Parameters:
  ///   - account: The account to read.
  ///   - context: Everything outside.
  ///   - read: Reads them; called again with the account as it is then.
  /// - Returns: What `read` returns.
  /// - Throws: What `read` throws.
  package static func readingWhole<Value>(
    _ account: Account,
    in context: EngineContext,
    _ read: (CredentialStore) async throws(EngineError) -> Value
  ) async throws(EngineError) -> Value {
    if account.incoming?.isWhole != true {
      do throws(EngineError) { return try await read(CredentialStore(of: account, in: context)) } catch .keyring(
        .halfReplaced
      ) {}
    }
    // The use of stored credentials requires no engine: it is asked for a renewal, or after a rejection.
    return try await context.withExclusiveAccess(to: account, allowingCopy: true) {
      (_, credentialStore) throws(EngineError) in
      try await read(credentialStore)
    }
  }
}
