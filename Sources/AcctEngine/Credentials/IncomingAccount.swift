import AcctModel
import AcctPorts
import AcctProtocol

/// What is to be stored: new credentials, or an account from elsewhere.
struct IncomingAccount {
  private let belonging: Belonging
  private let service: Origin?
  let items: [Keyring.Item]
  /// Its name unless the user gives one.
  let suggestedName: String
  /// The identifier that it had elsewhere.
  let id: AccountID?
  private let form: Form
  /// The name that the user gave new credentials.
  private let givenName: AccountName?

  private enum Form {
    case credentials(NewCredentials)
    case moved(Account)

    var isCredentials: Bool { if case .credentials = self { true } else { false } }
  }

  /// - Parameters:
  ///   - credentials: What is to be stored.
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

  /// Whether it may replace an account whose key is in a device.
  var mayLeaveDevice: Bool {
    switch form {
    case .credentials(let credentials): credentials.isKeyChosen || keyStorage != .software
    case .moved: false
    }
  }

  /// Where its key lives.
  var keyStorage: KeyStorage {
    switch form {
    case .credentials(let credentials): credentials.key?.storage ?? .software
    case .moved(let account): account.keyStorage
    }
  }

  /// How a new static token is sent; `nil` for anything else, an account from elsewhere too.
  var sentAs: StaticHeader? {
    switch form {
    case .credentials(let credentials): credentials.sentAs
    case .moved: nil
    }
  }

  /// The name that a new static token is found by; `nil` if none was given and none could be made.
  var tokenName: AccountName? { belonging.name }

  /// What it belongs to, as far as it tells: a file of the user's own need not say what its tokens are for.
  private func belonging(beside known: Account) -> Belonging {
    var belonging = belonging
    let isFile = belonging.source == .user || known.source == .user
    if isFile, belonging.resources.isEmpty || known.resources.isEmpty { belonging.resources = Set(known.resources) }
    return belonging
  }

  /// Whether a known account is the same: by what it belongs to, or by its identifier unless it
  /// is known to be another identity.
  ///
  /// An identifier is only in exports, which are the user's own files, and no server knows it.
  ///
  /// A backend's guest is the same whatever its new token calls it.
  func isSame(as known: Account) -> Bool {
    let kind = belonging.kind
    guard kind != .guest else { return known.isGuest(of: service) }
    let belonging = belonging(beside: known)
    if belonging.isSame(as: known.belonging) { return form.isCredentials || hasClient(of: known) }
    // Where neither is known to be anyone's, the user's own name tells which account is meant.
    if belonging.source == .issuer, belonging.identity.subject == nil,
      known.identity.subject == nil, givenName == known.name
    {
      return belonging.isAtSamePlace(as: known.belonging)
    }
    // Without an issuer that tells them apart, one person may be at several backends.
    guard known.kind == kind, kind == .oauth || known.service == service else { return false }
    return known.id == id && known.identity == belonging.identity
  }

  /// Whether the client is the same also in the scope that its identifier may hold.
  ///
  /// Of two accounts that differ in it alone, each keeps its own: an export of both stays two.
  func hasClient(of known: Account) -> Bool { known.identity.clientID == belonging.identity.clientID }

  /// The account that stores it.
  func account(_ id: AccountID, _ name: AccountName, createdAt: Timestamp) -> Account {
    switch form {
    case .credentials(let credentials): return credentials.account(id, name, createdAt: createdAt)
    case .moved(let account):
      var account = account.renumbered(id)
      account.name = name
      // A file from elsewhere must not lead to items that are another account's.
      account.incoming = nil
      return account
    }
  }
}
