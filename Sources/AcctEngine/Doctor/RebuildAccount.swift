package import AcctModel
import Secrets
package import AcctPorts
import AcctProtocol
import StrictJSON
import Release

/// Rebuilds an account's file from its keyring items alone.
///
/// Data that only the file contained is lost: the name, the client of an opaque token, allowed origins. The rest is
/// read as from imported credentials, by the same rules. Without a usable token the account is listed as signed out,
/// so that the user can sign in to it again, or remove it.
package struct RebuildAccount: Sendable {
  private let world: World
  private let accountStore: AccountStore

  package init(_ world: World) {
    self.world = world
    accountStore = AccountStore(world)
  }

  /// Rebuilds an account; the caller holds the book's lock.
  ///
  /// - Parameters:
  ///   - id: The account of the items; it has no file.
  ///   - keyring: The keyring with the items. It is not unlocked for this.
  /// - Returns: The account.
  /// - Throws: ``EngineError`` if its items can't be read or its file can't be written.
  package func rebuild(_ id: AccountID, from keyring: Keyring) async throws(EngineError) -> Account {
    let items: [ItemKind: Secret]
    do { items = try await keyring.read(id, ItemKind.allCases, .forbidden) } catch {
      throw .keyring(.failed(error, keyring.kind))
    }
    let kind = Account.Kind(of: items)
    let account: Account
    if let usable = try signedIn(id, kind, items) {
      account = usable
    } else {
      account = try signedOut(id, kind, items)
    }
    try accountStore.save(account)
    return account
  }

  private func signedIn(
    _ id: AccountID,
    _ kind: Account.Kind,
    _ items: [ItemKind: Secret]
  ) throws(EngineError) -> Account? {
    guard let token = items[kind.tokenItem] else { return nil }
    if kind == .static { return try withStaticToken(id, token) }
    var members: JSONObject = ["accessToken": .string(token.shownText)]
    members["refreshToken"] = items[.refreshToken].map { .string($0.shownText) }
    members["handle"] = items[.handle].map { .string($0.shownText) }
    members["did"] = items[.did].map { .string($0.shownText) }
    members["expiresAt"] = items[.expiresAt].map { .string($0.shownText) }
    if let key = items[.keypair] {
      guard let jwk = key.withBytes({ bytes in try? JSON(parsing: bytes) }) else { return nil }
      members["dpopKey"] = jwk
    }
    let certificate = items[.certificate].flatMap { certificate in
      items[.certificateKey].flatMap { try? CertifiedKey(certificate: certificate, key: $0) }
    }
    guard
      let handoff = try? Handoff(
        .object(members),
        receivedAt: world.clock.now(),
        certificate: certificate?.thumbprint
      )
    else { return nil }
    var credentials = NewCredentials(handoff, from: nil, presenting: certificate, redacting: .none)
    credentials.kind = kind
    switch kind {
    case .oauth, .static: break
    case .session:
      credentials.tokenType = .session
      credentials.tokenLifetime = TokenLifetime(expiresAt: nil, canRenew: false)
    case .guest: credentials.tokenType = .guest
    }
    let name = try accountStore.freeName(like: credentials.suggestedName, world.entropy)
    return credentials.account(id, name, createdAt: world.clock.now())
  }

  /// Rebuilds a static token's account: only its file contained its form and its origins, so that it is sent nowhere
  /// until the user adds it again, or allows an origin.
  private func withStaticToken(_ id: AccountID, _ secret: Secret) throws(EngineError) -> Account? {
    // A secret that can't be sent in another form is a password, whose user only the file contained.
    let password = StaticHeader.emptyUser
    guard
      let (token, sentAs) = (try? Token(secret)).map({ ($0, StaticHeader.bearer) })
        ?? (try? Token(password: secret)).map({ ($0, password) })
    else { return nil }
    let credentials = NewCredentials(
      kind: .static,
      tokenType: .static,
      identity: Identity(subject: nil, issuer: nil, clientID: nil),
      source: .user,
      origins: OwnOrigins(),
      tokenLifetime: TokenLifetime(expiresAt: AddStaticToken.claims(of: token)?.expiry, canRenew: false),
      sentAs: sentAs,
      token: token
    )
    let name = try accountStore.freeName(like: credentials.suggestedName, world.entropy)
    return credentials.account(id, name, createdAt: world.clock.now())
  }

  private func signedOut(
    _ id: AccountID,
    _ kind: Account.Kind,
    _ items: [ItemKind: Secret]
  ) throws(EngineError) -> Account {
    let handle = items[.handle].flatMap { try? Handle($0.shownText) }
    let did = items[.did].flatMap { try? DID($0.shownText) }
    let subject = did?.description ?? handle?.description
    let tokenType: Account.TokenType =
      switch kind {
      case .oauth: items[.keypair] == nil ? .bearer : .dpop
      case .session: .session
      case .guest: .guest
      case .static: .static
      }
    return Account(
      id: id,
      name: try accountStore.freeName(like: handle?.description ?? subject ?? "", world.entropy),
      kind: kind,
      tokenType: tokenType,
      identity: Identity(subject: subject, issuer: nil, clientID: nil),
      source: nil,
      handle: handle,
      did: did,
      origins: OwnOrigins(),
      keyStorage: storage(of: items[.keypair]),
      tokenLifetime: TokenLifetime(expiresAt: nil, canRenew: false),
      sentAs: kind == .static ? .bearer : nil,
      recordedState: .signedOut(reason: StateReason.missingAtRebuild.text),
      createdAt: world.clock.now()
    )
  }
}

/// The storage of a key, so that signing in again makes the next one there.
private func storage(of item: Secret?) -> KeyStorage {
  guard let item, case .hardware(let stored) = try? StoredDPoPKey(item) else { return .software }
  return stored.storage
}

extension Account.Kind {
  fileprivate init(of items: [ItemKind: Secret]) {
    let owners: [(item: ItemKind, kind: Account.Kind)] = [
      (.session, .session), (.guest, .guest), (.staticToken, .static),
    ]
    self = owners.first { items[$0.item] != nil }?.kind ?? .oauth
  }
}
