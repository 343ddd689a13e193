package import AcctModel
package import AcctPorts
package import AcctProtocol
import Release
package import Secrets

/// One account's keyring items, read and written with their own types.
package struct CredentialStore: Sendable {
  let keyring: Keyring
  package let account: Account
  package var context: EngineContext

  /// Opens the keyring that holds the account.
  package init(of account: Account, in context: EngineContext) throws(EngineError) {
    self.init(of: account, in: try KeyringChoice(context.world).keyring(of: account), context)
  }

  package init(of account: Account, in keyring: Keyring, _ context: EngineContext) {
    self.keyring = keyring
    self.account = account
    self.context = context
  }

  /// Reads the credentials for an authorized request, in one search.
  package func read() async throws(EngineError) -> Credentials {
    let credentials = try await readToTell()
    try requireOwn(credentials.key)
    return credentials
  }

  /// Reads the credentials for display, not for sending: without the check of the key, whose digest is a quarter of
  /// the work of `status`.
  func readToTell() async throws(EngineError) -> Credentials { try credentials(await items(account.kind.itemKinds)) }

  /// Reads the credentials for a renewal: also the refresh token, and the client's secret or key.
  package func readForRenewal() async throws(EngineError) -> Credentials {
    var kinds = account.kind.itemKinds
    if account.kind == .oauth {
      kinds += account.client.itemKinds
      if !account.client.grant.renewsItself { kinds.append(.refreshToken) }
    }
    if account.mayHaveIDToken { kinds.append(.idToken) }
    let items = try await items(kinds)
    var credentials = try credentials(items)
    credentials.idToken = Self.idToken(in: items)
    try requireOwn(credentials.key)
    try requireOwn(credentials.certificate)
    return credentials
  }

  /// Reads the client's certificate and its key alone; `nil` for a client without one.
  ///
  /// - Throws: ``SignInError/clientSecretMissing(account:)``, ``KeyringError/halfReplaced(_:)``.
  package func readCertificate() async throws(EngineError) -> CertifiedKey? {
    guard account.client.certificate != nil else { return nil }
    guard let certificate = try await readClient([.certificate, .certificateKey]).certificate else {
      throw .signIn(.clientSecretMissing(account: account.name))
    }
    try requireOwn(certificate)
    return certificate
  }

  /// Reads the client's secret, key or certificate alone.
  func readClient(_ kinds: [ItemKind]) async throws(EngineError) -> Credentials { try credentials(await items(kinds)) }

  /// Reads the access to the registration of the client; `nil` without one, and for an item that is damaged.
  func registrationAccess() async throws(EngineError) -> RegistrationAccess? {
    try await items([.registration])[.registration].flatMap(RegistrationAccess.init)
  }

  /// Reads all secret items, so that the keyring's wrapper holds them for redaction.
  package func holdSecrets() async throws(EngineError) {
    var kinds = account.kind.itemKinds
    if account.kind == .oauth { kinds += [.refreshToken, .secondTokens, .idToken] + account.client.itemKinds }
    kinds += [.roleKeys, .registration]
    _ = try await items(kinds)
  }

  /// Checks that an item is of the form that acct writes; one that is missing is no error.
  package func check(_ kind: ItemKind) async throws(EngineError) {
    let items = try await items(kind.isCertificate ? [.certificate, .certificateKey] : [kind])
    if let item = items[.secondTokens], (try? SecondTokens(item)) == nil {
      throw .keyring(.damagedItem(account.name, .secondTokens))
    }
    if let item = items[.roleKeys], !ItemKind.roleKeys.isWellFormed(item) {
      throw .keyring(.damagedItem(account.name, .roleKeys))
    }
    if let item = items[.registration], !ItemKind.registration.isWellFormed(item) {
      throw .keyring(.damagedItem(account.name, .registration))
    }
    if let item = items[.idToken], !ItemKind.idToken.isWellFormed(item) {
      throw .keyring(.damagedItem(account.name, .idToken))
    }
    _ = try credentials(items)
  }

  /// The credentials in items that were read.
  func credentials(_ items: [ItemKind: Secret]) throws(EngineError) -> Credentials {
    var account = account
    let expiresAt = try item(.expiresAt, in: items) { secret throws(ParseError) in
      try Timestamp(secret.shownText)
    }
    if let expiresAt { account.tokenLifetime.expiresAt = expiresAt }
    return Credentials(
      account: account,
      token: try item(account.kind.tokenItem, in: items) { secret throws(ParseError) in
        account.kind == .static
          ? try Token(secret, sentAs: account.sentAs) : try Token(secret)
      },
      refreshToken: try item(.refreshToken, in: items) { secret throws(ParseError) in try Token(secret) }
        .map(RefreshToken.init),
      key: try item(.keypair, in: items) { secret throws(JWKError) in try context.key(secret, in: keyring) },
      clientSecret: try item(.clientSecret, in: items) { secret throws(ClientSecret.Flaw) in
        try ClientSecret.check(secret)
      },
      clientKey: try item(.clientKey, in: items) { secret throws(ClientKeyError) in try ClientKey(privateJWK: secret) },
      certificate: try certificate(in: items)
    )
  }

  private func certificate(in items: [ItemKind: Secret]) throws(EngineError) -> CertifiedKey? {
    guard let certificate = items[.certificate], let key = items[.certificateKey] else { return nil }
    do { return try context.certifiedKey(certificate, key, in: keyring) } catch {
      throw .keyring(.damagedItem(account.name, error == .certificate ? .certificate : .certificateKey))
    }
  }

  /// Checks that a write would succeed.
  package func prepare() async throws(EngineError) {
    do { try await keyring.prepare(context.interaction) } catch { throw .keyring(.failed(error, keyring.kind)) }
  }

  package func items(_ kinds: [ItemKind]) async throws(EngineError) -> [ItemKind: Secret] {
    do { return try await keyring.read(account.id, kinds, context.interaction) } catch {
      throw .keyring(.failed(error, keyring.kind))
    }
  }

  /// Reads all items, but for those in a locked part of the keyring: new ones take precedence over them.
  func itemsInReach() async throws(EngineError) -> [ItemKind: Secret] {
    do throws(EngineError) { return try await items(ItemKind.allCases) } catch .keyring(
      .failed(.locked(_, openedBy: .part), _)
    ) {}
    var found: [ItemKind: Secret] = [:]
    for kind in ItemKind.allCases {
      // The person was asked above.
      do throws(KeyringFailure) { found.merge(try await keyring.read(account.id, [kind], .forbidden)) { $1 } } catch {
        guard case .locked(_, openedBy: .part) = error else { throw .keyring(.failed(error, keyring.kind)) }
      }
    }
    return found
  }

  private func item<Value, Failure: Error>(
    _ kind: ItemKind,
    in items: [ItemKind: Secret],
    _ parse: (Secret) throws(Failure) -> Value
  ) throws(EngineError) -> Value? {
    guard let secret = items[kind] else { return nil }
    do { return try parse(secret) } catch { throw .keyring(.damagedItem(account.name, kind)) }
  }
}

extension ItemKind {
  /// `true` for the two items that are checked with each other.
  fileprivate var isCertificate: Bool { self == .certificate || self == .certificateKey }
}

extension Account.Kind {
  /// The item that holds the credential itself.
  var tokenItem: ItemKind {
    switch self {
    case .oauth: .accessToken
    case .session: .session
    case .guest: .guest
    case .static: .staticToken
    }
  }

  /// The items that a request needs, in the order in which they must be read.
  ///
  /// A reader holds no lock, and a renewal writes the time last: read first, it is at worst older than
  /// the token. Read last, an old token would count as valid until the new time.
  var itemKinds: [ItemKind] {
    switch self {
    case .oauth: [.expiresAt, .accessToken, .keypair]
    case .session: [.session]
    case .guest: [.guest]
    case .static: [.staticToken]
    }
  }
}

/// Writes of an account's credentials.
///
/// A keyring of this machine stores one item after the other, and the account's file is written separately, after
/// them. A shared keyring stores items and account in one step, so that no machine sees one without the other.
extension CredentialStore {
  /// The accounts of the keyring, if other machines share it.
  var shared: (any AccountPlace)? { context.place(in: keyring) }

  /// Claims the right to send a request that uses up the account's credentials.
  ///
  /// On this machine that is the account's lock, which the caller holds. Of the machines that share a keyring, one has
  /// the right at a time, for a limited time; the others wait. The next write ends it.
  ///
  /// - Parameter account: The account as it was read, with the note that a renewal is in flight.
  /// - Returns: The check to make just before each request is sent; `nil` where the keyring is this machine's.
  /// - Throws: ``KeyringError/changedElsewhere(_:)`` if it has changed since it was read; then nothing may be sent.
  package func claim(_ account: Account) async throws(EngineError) -> (@Sendable () -> Bool)? {
    try await shared?.claim(account)
  }

  /// Ends a claim without new credentials to store.
  package func letGo(_ account: Account) throws(EngineError) { try shared?.store(account, .unchanged) }

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
  package func save(_ account: Account) throws(EngineError) { try context.accountStore.save(account, sharing: shared) }

  /// Saves the account after its items; a shared keyring has stored it with them already.
  package func saveWritten(_ account: Account) throws(EngineError) {
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
  package func replaceAll(with items: [Keyring.Item]) async throws(EngineError) {
    if let shared { return try shared.store(account, .replacing(items)) }
    try await write(items)
    let written = items.map(\.kind)
    let others = ItemKind.allCases.filter { !written.contains($0) }
    if !others.isEmpty { try await remove(others) }
  }

  /// Removes items; those that are not there are no error.
  package func remove(_ kinds: [ItemKind]) async throws(EngineError) {
    do { try await keyring.remove(account.id, kinds, context.interaction) } catch {
      throw .keyring(.failed(error, keyring.kind))
    }
  }

  /// Removes every item of the account, and from a shared keyring the account itself.
  func removeAll() async throws(EngineError) { try await Self.removeAll(of: account.id, in: keyring, context) }

  /// Removes every item of an account of which only the identifier is known.
  package static func removeAll(of id: AccountID, in keyring: Keyring, _ context: EngineContext)
    async throws(EngineError)
  {
    if let shared = context.place(in: keyring) { return try shared.remove(id) }
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
