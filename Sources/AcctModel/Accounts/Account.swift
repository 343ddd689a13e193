/// An account without its secrets: hints that allow `list` to work offline.
///
/// A copy is one reference: accounts are passed on more often than they are read.
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

  @usableFromInline var shared: Shared

  /// Immutable: an account that is changed gets a new one.
  @usableFromInline
  final class Shared: Equatable, Sendable {
    @usableFromInline let fields: Fields

    init(_ fields: Fields) { self.fields = fields }

    @usableFromInline
    static func == (left: Shared, right: Shared) -> Bool { left === right || left.fields == right.fields }
  }

  /// The members, of which a copy of the account is one reference.
  @usableFromInline
  struct Fields: Equatable, Sendable {
    @usableFromInline var id: AccountID
    @usableFromInline var name: AccountName
    @usableFromInline var formerNames: [AccountName]
    @usableFromInline var kind: Kind
    @usableFromInline var tokenType: TokenType
    @usableFromInline var identity: Identity
    @usableFromInline var subjectStatements: SubjectStatements
    @usableFromInline var source: AccountSource?
    @usableFromInline var handle: Handle?
    @usableFromInline var did: DID?
    @usableFromInline var displayName: String?
    @usableFromInline var issuerSource: IssuerSource?
    @usableFromInline var service: Origin?
    @usableFromInline var origins: OwnOrigins
    @usableFromInline var scope: String?
    @usableFromInline var resources: [ResourceIndicator]
    @usableFromInline var client: ClientSettings
    @usableFromInline var signIn: SignInSettings?
    @usableFromInline var ownGrant: OwnGrant?
    @usableFromInline var thumbprint: String?
    @usableFromInline var keyStorage: KeyStorage
    @usableFromInline var tokenLifetime: TokenLifetime
    @usableFromInline var sessionEndsAt: Timestamp?
    @usableFromInline var limitations: GuestLimitations?
    @usableFromInline var sentAs: StaticHeader?
    @usableFromInline var keptFor: KeepingProgram?
    @usableFromInline var recordedState: RecordedState
    @usableFromInline var keptIn: String?
    @usableFromInline var renewalStartedAt: Timestamp?
    @usableFromInline var incoming: Incoming?
    @usableFromInline var validatedAt: Timestamp?
    @usableFromInline var createdAt: Timestamp
    @usableFromInline var marks: Marks
    @usableFromInline var history: AccountHistory
  }

  package init(
    id: AccountID,
    name: AccountName,
    formerNames: [AccountName] = [],
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
    createdAt: Timestamp,
    marks: Marks = [],
    history: AccountHistory = AccountHistory()
  ) {
    shared = Shared(
      Fields(
        id: id,
        name: name,
        formerNames: formerNames,
        kind: kind,
        tokenType: tokenType,
        identity: identity,
        subjectStatements: subjectStatements,
        source: source,
        handle: handle,
        did: did,
        displayName: displayName,
        issuerSource: issuerSource,
        service: service,
        origins: origins,
        scope: scope,
        resources: resources,
        client: client,
        signIn: signIn,
        ownGrant: ownGrant,
        thumbprint: thumbprint,
        keyStorage: keyStorage,
        tokenLifetime: tokenLifetime,
        sessionEndsAt: sessionEndsAt,
        limitations: limitations,
        sentAs: sentAs,
        keptFor: keptFor,
        recordedState: recordedState,
        keptIn: keptIn,
        renewalStartedAt: renewalStartedAt,
        incoming: incoming,
        validatedAt: validatedAt,
        createdAt: createdAt,
        marks: marks,
        history: history
      )
    )
  }

  private mutating func change(_ change: (inout Fields) -> Void) {
    var fields = shared.fields
    change(&fields)
    shared = Shared(fields)
  }
}

// Inlined at the call site, so that only the member that is asked for is copied.
extension Account {
  package private(set) var id: AccountID {
    @inlinable get { shared.fields.id }
    set { change { $0.id = newValue } }
  }
  package var name: AccountName {
    @inlinable get { shared.fields.name }
    set { change { $0.name = newValue } }
  }
  /// The names that it had, the last one last: who asks for one of them is told the new one.
  package var formerNames: [AccountName] {
    @inlinable get { shared.fields.formerNames }
    set { change { $0.formerNames = newValue } }
  }
  package var kind: Kind { @inlinable get { shared.fields.kind } }
  package var tokenType: TokenType {
    @inlinable get { shared.fields.tokenType }
    set { change { $0.tokenType = newValue } }
  }
  /// Its identity, and its client and issuer.
  package var identity: Identity {
    @inlinable get { shared.fields.identity }
    set { change { $0.identity = newValue } }
  }
  /// The names that its server has stated for its user.
  package var subjectStatements: SubjectStatements {
    @inlinable get { shared.fields.subjectStatements }
    set { change { $0.subjectStatements = newValue } }
  }
  /// The source of its credentials; `nil` if that was not stored (version 0.1.0).
  package var source: AccountSource? {
    @inlinable get { shared.fields.source }
    set { change { $0.source = newValue } }
  }
  package var handle: Handle? {
    @inlinable get { shared.fields.handle }
    set { change { $0.handle = newValue } }
  }
  package var did: DID? {
    @inlinable get { shared.fields.did }
    set { change { $0.did = newValue } }
  }
  package var displayName: String? {
    @inlinable get { shared.fields.displayName }
    set { change { $0.displayName = newValue } }
  }
  /// The source of its issuer; `nil` without an issuer.
  package var issuerSource: IssuerSource? {
    @inlinable get { shared.fields.issuerSource }
    set { change { $0.issuerSource = newValue } }
  }
  /// The PDS, or the backend.
  package internal(set) var service: Origin? {
    @inlinable get { shared.fields.service }
    set { change { $0.service = newValue } }
  }
  /// The origins to which its credentials may be sent.
  package internal(set) var origins: OwnOrigins {
    @inlinable get { shared.fields.origins }
    set { change { $0.origins = newValue } }
  }
  /// The scope that was granted.
  package var scope: String? {
    @inlinable get { shared.fields.scope }
    set { change { $0.scope = newValue } }
  }
  /// The resource servers that its tokens are requested for (RFC 8707): its own token for the first, at each renewal too,
  /// and a second token for each other.
  package var resources: [ResourceIndicator] {
    @inlinable get { shared.fields.resources }
    set { change { $0.resources = newValue } }
  }
  /// The settings of its client's requests to its server.
  package var client: ClientSettings {
    @inlinable get { shared.fields.client }
    set { change { $0.client = newValue } }
  }
  /// The settings of its sign-in beyond its client's; `nil` where none was stored.
  package var signIn: SignInSettings? {
    @inlinable get { shared.fields.signIn }
    set { change { $0.signIn = newValue } }
  }
  /// The scope and audiences of its own tokens, once its refresh token has been used for another; `nil` before.
  package var ownGrant: OwnGrant? {
    @inlinable get { shared.fields.ownGrant }
    set { change { $0.ownGrant = newValue } }
  }
  /// The RFC 7638 thumbprint of its DPoP key.
  package var thumbprint: String? {
    @inlinable get { shared.fields.thumbprint }
    set { change { $0.thumbprint = newValue } }
  }
  /// The storage of that key; meaningless for an account without one.
  package var keyStorage: KeyStorage {
    @inlinable get { shared.fields.keyStorage }
    set { change { $0.keyStorage = newValue } }
  }
  package var tokenLifetime: TokenLifetime {
    @inlinable get { shared.fields.tokenLifetime }
    set { change { $0.tokenLifetime = newValue } }
  }
  /// When the server ends the session whatever is renewed.
  package var sessionEndsAt: Timestamp? {
    @inlinable get { shared.fields.sessionEndsAt }
    set { change { $0.sessionEndsAt = newValue } }
  }
  /// The backend's limits for a guest; `nil` for any other account.
  package var limitations: GuestLimitations? {
    @inlinable get { shared.fields.limitations }
    set { change { $0.limitations = newValue } }
  }
  /// The field and form in which a static token is sent; `nil` for any other account.
  package var sentAs: StaticHeader? {
    @inlinable get { shared.fields.sentAs }
    set { change { $0.sentAs = newValue } }
  }
  /// The program whose login stored its password; `nil` for any other account.
  package var keptFor: KeepingProgram? {
    @inlinable get { shared.fields.keptFor }
    set { change { $0.keptFor = newValue } }
  }
  package var recordedState: RecordedState {
    @inlinable get { shared.fields.recordedState }
    set { change { $0.recordedState = newValue } }
  }
  /// The keyring that has its credentials, where that is not the one of the other accounts: it was added while
  /// `ACCT_KEYRING` named another one than the shared one that is in use.
  package var keptIn: String? {
    @inlinable get { shared.fields.keptIn }
    set { change { $0.keptIn = newValue } }
  }
  /// When a renewal was begun whose end is not known: its answer may have been lost.
  package var renewalStartedAt: Timestamp? {
    @inlinable get { shared.fields.renewalStartedAt }
    set { change { $0.renewalStartedAt = newValue } }
  }
  /// New credentials that have not replaced the old ones yet.
  package var incoming: Incoming? {
    @inlinable get { shared.fields.incoming }
    set { change { $0.incoming = newValue } }
  }
  /// When a server last confirmed the session: a sign-in, a renewal, a check.
  package var validatedAt: Timestamp? {
    @inlinable get { shared.fields.validatedAt }
    set { change { $0.validatedAt = newValue } }
  }
  package var createdAt: Timestamp { @inlinable get { shared.fields.createdAt } }
  /// The notes on its server's earlier answers.
  package var marks: Marks {
    @inlinable get { shared.fields.marks }
    set { change { $0.marks = newValue } }
  }
  /// Its last events, unread.
  package var history: AccountHistory {
    @inlinable get { shared.fields.history }
    set { change { $0.history = newValue } }
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

  /// Notes on the earlier answers of an account's server, where they must be remembered.
  package struct Marks: OptionSet, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// The renewals since ``Account/renewalStartedAt`` were answered, with nothing that could be stored.
    package static let answered = Marks(rawValue: 1)
    /// The last answer did not tell the scope in a readable form, and the user knows.
    package static let scopeUnknown = Marks(rawValue: 2)
    /// A renewal did not move the end of the session.
    package static let endStays = Marks(rawValue: 4)
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

/// The storage of a DPoP key's private part.
package enum KeyStorage: String, Sendable, CaseIterable {
  /// In the keyring, from where it can be exported.
  case software
  case tpm2
  case pkcs11
}

extension Account {
  /// The most names of before that are kept.
  private static let formerNameLimit = 8

  /// Gives it a new name, and keeps the old one.
  package mutating func rename(to new: AccountName) {
    formerNames = (formerNames.filter { $0 != new && $0 != name } + [name]).suffix(Self.formerNameLimit)
    name = new
  }
}
