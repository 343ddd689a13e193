/// An account without its secrets: hints that allow `list` to work offline.
package struct Account: Equatable, Sendable {
  /// The way in which the account obtained its credentials, which decides how they are used.
  package enum Kind: String, Sendable { case oauth, session, guest, `static` }

  /// The scheme before the token on a header line, or the form in its place.
  package enum TokenType: String, Sendable {
    case dpop = "DPoP", bearer = "Bearer", session, guest, `static`
    /// A token that is sent in no field, such as an ID token or a SAML assertion (RFC 8693, section 2.2.1).
    case none = "N_A"
  }

  /// A program that stores its logins in acct.
  package enum KeepingProgram: String, Sendable {
    /// Docker and the others that speak its protocol.
    case docker
    /// Terraform and OpenTofu.
    case terraform
  }

  package private(set) var id: AccountID
  package var name: AccountName
  package let kind: Kind
  package var tokenType: TokenType
  /// Its identity, and its client and issuer.
  package var identity: Identity
  /// The names that its server has stated for its user.
  @Boxed package var subjectStatements: SubjectStatements
  /// The source of its credentials; `nil` if that was not stored (version 0.1.0).
  package var source: AccountSource?
  package var handle: Handle?
  package var did: DID?
  package var displayName: String?
  /// The source of its issuer; `nil` without an issuer.
  package var issuerSource: IssuerSource?
  /// The PDS, or the backend.
  package var service: Origin?
  /// The origins to which its credentials may be sent.
  package var origins: OwnOrigins
  /// The scope that was granted.
  package var scope: String?
  /// The resource servers that its tokens are requested for (RFC 8707): its own token for the first, at each renewal too,
  /// and a second token for each other.
  package var resources: [ResourceIndicator]
  /// The settings of its client's requests to its server.
  @Boxed package var client: ClientSettings
  /// The settings of its sign-in beyond its client's; `nil` where none was stored.
  @Boxed package var signIn: SignInSettings?
  /// The scope and audiences of its own tokens, once its refresh token has been used for another; `nil` before.
  @Boxed package var ownGrant: OwnGrant?
  /// The RFC 7638 thumbprint of its DPoP key.
  package var thumbprint: String?
  /// The storage of that key; meaningless for an account without one.
  package var keyStorage: KeyStorage
  package var tokenLifetime: TokenLifetime
  /// When the server ends the session whatever is renewed.
  package var sessionEndsAt: Timestamp?
  /// The backend's limits for a guest; `nil` for any other account.
  @Boxed package var limitations: GuestLimitations?
  /// The field and form in which a static token is sent; `nil` for any other account.
  @Boxed package var sentAs: StaticHeader?
  /// The program whose login stored its password; `nil` for any other account.
  package var keptFor: KeepingProgram?
  package var recordedState: RecordedState
  /// The keyring that has its credentials, where that is not the one of the other accounts: it was added while
  /// `ACCT_KEYRING` named another one than the shared one that is in use.
  package var keptIn: String?
  /// When a renewal was begun whose end is not known: its answer may have been lost.
  package var renewalStartedAt: Timestamp?
  /// New credentials that have not replaced the old ones yet.
  @Boxed package var incoming: Incoming?
  /// When a server last confirmed the session: a sign-in, a renewal, a check.
  package var validatedAt: Timestamp?
  package let createdAt: Timestamp
  /// What its server's answers were like.
  package var marks: Marks = []
  /// Its last events, unread.
  package var history = AccountHistory()

  package init(
    id: AccountID,
    name: AccountName,
    kind: Kind,
    tokenType: TokenType,
    identity: Identity,
    subjectStatements: SubjectStatements = SubjectStatements(),
    source: AccountSource?,
    handle: Handle? = nil,
    did: DID? = nil,
    displayName: String? = nil,
    issuerSource: IssuerSource? = nil,
    service: Origin? = nil,
    origins: OwnOrigins,
    scope: String? = nil,
    resources: [ResourceIndicator] = [],
    client: ClientSettings = .standard,
    signIn: SignInSettings? = nil,
    ownGrant: OwnGrant? = nil,
    thumbprint: String? = nil,
    keyStorage: KeyStorage = .software,
    tokenLifetime: TokenLifetime,
    sessionEndsAt: Timestamp? = nil,
    limitations: GuestLimitations? = nil,
    sentAs: StaticHeader? = nil,
    keptFor: KeepingProgram? = nil,
    recordedState: RecordedState = .signedIn,
    keptIn: String? = nil,
    renewalStartedAt: Timestamp? = nil,
    incoming: Incoming? = nil,
    validatedAt: Timestamp? = nil,
    createdAt: Timestamp
  ) {
    self.id = id
    self.name = name
    self.kind = kind
    self.tokenType = tokenType
    self.identity = identity
    self.subjectStatements = subjectStatements
    self.source = source
    self.handle = handle
    self.did = did
    self.displayName = displayName
    self.issuerSource = issuerSource
    self.service = service
    self.origins = origins
    self.scope = scope
    self.resources = resources
    self.client = client
    self.signIn = signIn
    self.ownGrant = ownGrant
    self.thumbprint = thumbprint
    self.keyStorage = keyStorage
    self.tokenLifetime = tokenLifetime
    self.sessionEndsAt = sessionEndsAt
    self.limitations = limitations
    self.sentAs = sentAs
    self.keptFor = keptFor
    self.recordedState = recordedState
    self.keptIn = keptIn
    self.renewalStartedAt = renewalStartedAt
    self.incoming = incoming
    self.validatedAt = validatedAt
    self.createdAt = createdAt
  }
}

extension Account {
  /// New credentials that wait to replace the old ones.
  package struct Incoming: Equatable, Sendable {
    /// Their identifier in the keyring, which nothing else has.
    package var place: AccountID
    /// `true` if they are already the account's; otherwise they are ignored.
    package var isWhole: Bool

    package init(place: AccountID, isWhole: Bool) {
      self.place = place
      self.isWhole = isWhole
    }
  }

  /// What the answers of its server were like, where that must be remembered.
  package struct Marks: OptionSet, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// The renewals since ``Account/renewalStartedAt`` were answered, with nothing that could be stored.
    package static let answered = Marks(rawValue: 1)
    /// The last answer did not tell the scope in a readable form, and the user knows.
    package static let scopeUnknown = Marks(rawValue: 2)
  }

  /// `true` if its token can be renewed without a person: with a refresh token, by its client alone, or by its backend.
  package var canRenew: Bool {
    switch kind {
    case .oauth: tokenLifetime.canRenew
    case .session: true
    case .guest, .static: false
    }
  }

  /// The storage of a key that never leaves this machine: its DPoP key's, or that of its client's certificate; `nil` if it
  /// has none.
  package var deviceStorage: KeyStorage? {
    if keyStorage != .software { return keyStorage }
    return client.certificate?.isKeyInToken == true ? .pkcs11 : nil
  }

  /// Returns a copy of the account with another identifier.
  package func renumbered(_ id: AccountID) -> Account {
    var account = self
    account.id = id
    return account
  }
}

/// The source of an account's issuer, which decides what is checked before a renewal.
package enum IssuerSource: String, Sendable {
  /// The user or the handoff named it.
  case given
  /// The account's DID led to it; it is found anew before each renewal.
  case did
  /// A token claims it, and no server has confirmed it.
  case token
  /// The first of the account's resources named it.
  case resource
}
