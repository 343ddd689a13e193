package import AcctModel
package import Secrets
package import AcctPorts
package import AcctProtocol
import Release

/// One account's keyring items, read and written with their own types.
package struct CredentialStore: Sendable {
  let keyring: Keyring
  let account: Account
  var context: EngineContext

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
  func readForRenewal() async throws(EngineError) -> Credentials {
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

  private func credentials(_ items: [ItemKind: Secret]) throws(EngineError) -> Credentials {
    var account = account
    let expiresAt = try item(.expiresAt, in: items) { secret throws(ParseError) in
      try Timestamp(secret.withBytes { String(copying: $0) })
    }
    if let expiresAt { account.tokenLifetime.expiresAt = expiresAt }
    return Credentials(
      account: account,
      token: try item(account.kind.tokenItem, in: items) { secret throws(ParseError) in
        account.kind == .static
          ? try Token(secret, sentAs: account.sentAs) : try Token(secret)
      },
      refreshToken: try item(.refreshToken, in: items) { secret throws(ParseError) in try Token(secret) },
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

extension String {
  /// Copies text that is no secret out of a keyring item.
  init(copying bytes: Span<UInt8>) { self.init(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
}
