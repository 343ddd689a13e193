import AcctModel
import AcctPorts
import AcctProtocol

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
  /// A backend's guest is the same, whatever subject its new token has.
  func isSame(as known: Account) -> Bool {
    let kind = belonging.kind
    guard kind != .guest else { return known.isGuest(of: service) }
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
