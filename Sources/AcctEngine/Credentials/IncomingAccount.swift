package import AcctModel
import AcctPorts
import AcctProtocol
import Release
import Secrets

/// An account to be stored: new credentials, or an account from elsewhere.
struct IncomingAccount {
  private let belonging: Belonging
  private let service: Origin?
  let items: [Keyring.Item]
  /// Its name if the user gives none.
  let suggestedName: String
  /// The identifier that it had elsewhere.
  let id: AccountID?
  private let form: Form
  /// The name that the user gave new credentials.
  private let givenName: AccountName?

  private indirect enum Form {
    case credentials(NewCredentials)
    case moved(Account)

    var isCredentials: Bool { if case .credentials = self { true } else { false } }
  }

  /// - Parameters:
  ///   - credentials: The credentials to be stored.
  ///   - name: The name that the user gave.
  init(_ credentials: NewCredentials, named name: AccountName?) {
    belonging = credentials.belonging(named: name)
    givenName = name
    service = credentials.service
    items = credentials.items
    suggestedName = credentials.suggestedName
    id = nil
    form = .credentials(credentials)
  }

  init(_ storedAccount: StoredAccount) {
    var belonging = storedAccount.account.belonging
    belonging.name = nil
    self.belonging = belonging
    givenName = nil
    service = storedAccount.account.service
    items = storedAccount.orderedItems
    suggestedName = storedAccount.account.name.description
    id = storedAccount.account.id
    form = .moved(storedAccount.account)
  }

  var kind: Account.Kind { belonging.kind }

  /// `true` if its server has named its person.
  var isNamed: Bool { belonging.identity.subject != nil }

  /// `true` if it may replace an account whose key is in a device.
  var mayLeaveDevice: Bool {
    switch form {
    case .credentials(let credentials): credentials.isKeyChosen || keyStorage != .software
    case .moved: false
    }
  }

  /// The storage of its key.
  var keyStorage: KeyStorage {
    switch form {
    case .credentials(let credentials): credentials.key?.storage ?? .software
    case .moved(let account): account.keyStorage
    }
  }

  /// `true` if a key of it never leaves this machine.
  var isOfThisMachine: Bool {
    switch form {
    case .credentials(let credentials):
      keyStorage != .software || credentials.client.certificate?.isKeyInToken == true
    case .moved(let account): account.deviceStorage != nil
    }
  }

  /// `true` if its requests start from tokens of this machine.
  var hasInputs: Bool {
    switch form {
    case .credentials(let credentials): credentials.client.hasInputs
    case .moved(let account): account.client.hasInputs
    }
  }

  /// `true` for tokens of a file that names no person, which a name alone ties to an account.
  var isKnownByName: Bool { form.isCredentials && belonging.source == .user && kind != .static && !isNamed }

  /// The form in which a new static token is sent; `nil` for anything else, also for an account from elsewhere.
  var sentAs: StaticHeader? {
    switch form {
    case .credentials(let credentials): credentials.sentAs
    case .moved: nil
    }
  }

  /// The name that identifies a new static token; `nil` if none was given and none could be made.
  var tokenName: AccountName? { belonging.name }

  /// The facts by which its account is found; a file of the user's own need not name the resources.
  private func belonging(beside known: Account) -> Belonging {
    var belonging = belonging
    let isFile = belonging.source == .user || known.source == .user
    if isFile, belonging.resources.isEmpty || known.resources.isEmpty { belonging.resources = Set(known.resources) }
    return belonging
  }

  /// Returns `true` if a known account is the same: by those facts, or by its identifier unless it is known to be
  /// another identity.
  ///
  /// Only exports contain an identifier; they are the user's own files, and no server knows it.
  ///
  /// A backend's guest is the same, whatever subject its new token has, unless the user gives it another name.
  func isSame(as known: Account) -> Bool {
    let kind = belonging.kind
    guard kind != .guest else { return known.isGuest(of: service) && (known.id == id || hasName(of: known)) }
    let belonging = belonging(beside: known)
    if belonging.isSame(as: known.belonging) { return form.isCredentials || hasClient(of: known) }
    // If neither has a known user, the name that the user gave decides.
    let isNameEnough = belonging.source == .issuer || belonging.source == .user && known.source == .user
    if isNameEnough, belonging.identity.subject == nil, known.identity.subject == nil, givenName == known.name {
      return belonging.isAtSamePlace(as: known.belonging)
    }
    // Without an issuer that tells them apart, one person may be at several backends.
    guard known.kind == kind, kind == .oauth || known.service == service else { return false }
    return known.id == id && known.identity == belonging.identity
  }

  /// Returns `true` if it would have the name of a known account; `true` for new credentials without a name.
  private func hasName(of known: Account) -> Bool {
    isMoved ? suggestedName == known.name.description : givenName == nil || givenName == known.name
  }

  /// When its tokens were stored elsewhere, if its export says so; `nil` also for new credentials.
  var storedAt: Timestamp? {
    switch form {
    case .credentials: nil
    case .moved(let account): account.credentialsStoredAt
    }
  }

  /// `true` for an account from elsewhere.
  var isMoved: Bool { !form.isCredentials }

  /// Returns `true` if the client is the same, including the scope that its identifier may contain.
  ///
  /// Of two accounts that differ only in it, each is kept: an export of both stays two accounts.
  func hasClient(of known: Account) -> Bool { known.identity.clientID == belonging.identity.clientID }

  /// The account in which it is stored.
  func account(_ id: AccountID, _ name: AccountName, createdAt: Timestamp) -> Account {
    switch form {
    case .credentials(let credentials): return credentials.account(id, name, createdAt: createdAt)
    case .moved(let account):
      var account = account.renumbered(id)
      account.name = name
      // A file from elsewhere must not refer to items of another account.
      account.incoming = nil
      account.history = AccountHistory()
      return account
    }
  }
}

/// The age of tokens, as far as it is known.
///
/// A refresh token that has been used ends its session at the next attempt, so an import of tokens from before a renewal
/// would end the session that the renewal began.
struct CredentialAge {
  /// The token's `iat`: both are of one server, and of one clock.
  private let issuedAt: Timestamp?
  /// When the server gave or confirmed them, by the clock of the machine that asked it.
  private let confirmedAt: Timestamp?
  /// The end that the token or its server states.
  private let end: Timestamp?
  /// When they were stored, by the clock of the machine.
  private let storedAt: Timestamp?

  /// - Parameters:
  ///   - account: The account that has the token.
  ///   - token: The token.
  ///   - storedAt: When it was stored.
  ///   - now: The time; what a clock that was ahead has written after it says nothing.
  init(of account: Account, _ token: Secret, storedAt: Timestamp?, at now: Timestamp) {
    let claims = (try? Token(token)).flatMap { try? JWT.decode($0).claims }
    issuedAt = claims?.issuedAt
    confirmedAt = account.validatedAt.flatMap { $0 > now ? nil : $0 }
    let lifetime = account.tokenLifetime
    // An end that was computed from a lifetime is known only if the server's answer came to acct; and one that the user
    // gave says nothing about the token's age.
    let isStated = account.validatedAt == nil ? lifetime.lifetime == nil : confirmedAt != nil
    end = claims?.expiry ?? (isStated && account.kind != .static ? lifetime.expiresAt : nil)
    self.storedAt = storedAt
  }

  /// Returns `true` if these tokens are newer than others, `false` if they are older; `nil` if that is not known.
  func isNewer(than other: CredentialAge) -> Bool? {
    func decided(_ mine: Timestamp?, _ theirs: Timestamp?) -> Bool? {
      guard let mine, let theirs, mine != theirs else { return nil }
      return mine > theirs
    }
    // A check confirms tokens that are older, too: it counts only where no note says when they were given.
    let isNewer =
      decided(issuedAt, other.issuedAt)
      ?? decided(storedAt ?? confirmedAt, other.storedAt ?? other.confirmedAt) ?? decided(end, other.end)
    if let isNewer { return isNewer }
    guard let given = confirmedAt ?? issuedAt, let end = other.end, end <= given else { return nil }
    return true
  }
}

extension IncomingAccount {
  /// Decides what becomes of an account that these credentials belong to.
  ///
  /// - Parameters:
  ///   - before: The account, with its items.
  ///   - replacement: The rule for an account that has others.
  ///   - allowed: The places that the user gives with them.
  ///   - now: The time.
  /// - Returns: What is done.
  /// - Throws: ``TransferError/newerHere(_:)``, ``StaticTokenError/otherOrigins(_:_:)``.
  func change(
    of before: StoredAccount,
    _ replacement: AddAccount.Replacement,
    allowing allowed: [Place] = [],
    at now: Timestamp
  ) throws(EngineError) -> AddAccount.Change {
    let known = before.account
    if isKnownByName, replacement == .unlessNewer { try requirePlaces(of: known, among: allowed) }
    guard sentAs == nil else {
      if replacement == .unlessNewer {
        try known.requireOrigins(account(known.id, known.name, createdAt: known.createdAt).origins.places)
      }
      return .replaced
    }
    guard replacement != .always else { return known.kind == .static ? .replaced : .renewed }
    let (token, old) = (items.first { $0.kind == known.kind.tokenItem }?.secret, before.items[known.kind.tokenItem])
    let isSame = items.allSatisfy { before.items[$0.kind] == $0.secret }
    if isSame, !known.assess(.present, at: now).needsPerson { return .unchanged }
    if let token, let old, isOlder(token, than: old, of: known, at: now) {
      guard replacement == .forced else { throw .transfer(.newerHere([known.name])) }
      return .replaced
    }
    return known.kind == .static ? .replaced : .renewed
  }

  private func isOlder(_ token: Secret, than old: Secret, of known: Account, at now: Timestamp) -> Bool {
    let account = account(known.id, known.name, createdAt: known.createdAt)
    // A token that has ended is of no use, and an older one that works is.
    if known.assess(.present, at: now).needsPerson, !account.assess(.present, at: now).needsPerson { return false }
    // An export of this very account that does not show a later time is from before a change here. Another one with this
    // identity, and a document, may be of any age.
    let isCommon = isMoved && id == known.id
    let here = CredentialAge(of: known, old, storedAt: isCommon ? known.credentialsStoredAt : nil, at: now)
    return here.isNewer(than: CredentialAge(of: account, token, storedAt: storedAt, at: now)) ?? isCommon
  }

  /// Checks that new tokens under a name are not for other origins alone: those of the account stay, and they would go there.
  private func requirePlaces(of known: Account, among allowed: [Place]) throws(EngineError) {
    let places = account(known.id, known.name, createdAt: known.createdAt).origins.places + allowed
    let others = known.origins.places
    guard places.isEmpty || others.isEmpty || places.contains(where: others.contains) else {
      throw .input(.staticToken(.otherOrigins(known.name, others)))
    }
  }
}

extension Account {
  /// Checks that a new static token goes where this account's token went.
  ///
  /// - Parameter places: The places of the new token.
  /// - Throws: ``StaticTokenError/otherOrigins(_:_:)``.
  package func requireOrigins(_ places: [Place]) throws(EngineError) {
    // A place that the user has given since shares its origin's reasons.
    let (given, own) = (Set(places.map(\.origin)), origins.filter { origins.reasons(for: $0).contains(.signIn) })
    let isSame = own.allSatisfy(given.contains) && given.allSatisfy(origins.contains)
    guard own.isEmpty || isSame && origins.places.contains(where: places.contains) else {
      throw .input(.staticToken(.otherOrigins(name, origins.places)))
    }
  }

  /// When its tokens were stored, by its history.
  var credentialsStoredAt: Timestamp? {
    history.events?.last { [.added, .signedIn, .renewed].contains($0.kind) }?.time
  }
}
