import AcctModel
import AcctPorts

/// What comes to be kept: new credentials, or an account that was kept elsewhere.
struct Arrival {
  let kind: Account.Kind
  let identity: Identity
  private let service: Origin?
  let items: [Keyring.Item]
  /// What to call it if the user doesn't say.
  let suggestedName: String
  /// The identifier that it had elsewhere.
  let id: AccountID?
  private let form: Form

  private enum Form {
    case credentials(NewCredentials)
    case moved(Account)
  }

  init(_ credentials: NewCredentials) {
    kind = credentials.kind
    identity = credentials.identity
    service = credentials.service
    items = credentials.items
    suggestedName = credentials.suggestedName
    id = nil
    form = .credentials(credentials)
  }

  init(_ holding: Holding) {
    kind = holding.account.kind
    identity = holding.account.identity
    service = holding.account.service
    items = holding.orderedItems
    suggestedName = holding.account.name.description
    id = holding.account.id
    form = .moved(holding.account)
  }

  /// Whether a known account is the same: by who it is, or by its identifier where it is nobody
  /// else.
  ///
  /// A backend's guest is the same whatever its new token calls it.
  func isSame(as known: Account) -> Bool {
    guard kind != .guest else { return known.isGuest(of: service) }
    // Where no issuer tells them apart, one person may be at several backends.
    guard known.kind == kind, kind == .oauth || known.service == service else { return false }
    return known.identity.isSame(as: identity) || known.id == id && known.identity == identity
  }

  /// The account that is to keep it.
  func account(_ id: AccountID, _ name: AccountName, createdAt: Timestamp) -> Account {
    switch form {
    case .credentials(let credentials):
      return credentials.account(id, name, createdAt: createdAt)
    case .moved(let account):
      var account = account.renumbered(id)
      account.name = name
      // A file from elsewhere must not lead to items that are another account's.
      account.incoming = nil
      return account
    }
  }
}
