package import AcctModel
import AcctProtocol

/// The accounts that have the origin of a destination, of which it is for one.
///
/// A user that the destination names decides first: that of one of the accounts, or none of them. Then the longest place
/// that the URL is in; then the active account.
package struct Owners {
  /// An account, and the URL whose origin is its own.
  package struct Owner {
    package var account: Account
    package var url: HTTPURL

    package init(account: Account, url: HTTPURL) {
      self.account = account
      self.url = url
    }
  }

  package let all: [Owner]
  /// The user that the destination names; `nil` for any.
  private let user: String?

  package init(_ all: [Owner], user: String?) {
    self.all = all
    self.user = user.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The accounts that have the origin of a URL.
  package init(of destination: Destination, among accounts: [Account]) {
    let owners = accounts.filter { $0.origins.contains(destination.url.origin) }
    self.init(owners.map { Owner(account: $0, url: destination.url) }, user: destination.user)
  }

  package enum Decision {
    case one(Owner, by: SelectedBy)
    /// More than one, and nothing decides between them.
    case several([Owner])
    /// The user is none of theirs.
    case otherUser(String)
    case none
  }

  /// The accounts of the user; empty where no user is named, or it is none of theirs.
  private var meant: [Owner] {
    guard let user else { return [] }
    let byUser = all.filter { $0.account.isOf(user, at: $0.url.origin) }
    return byUser.isEmpty ? all.filter { $0.account.isCalled(user) } : byUser
  }

  /// Returns `true` if a rule may choose an account beside the user that is named, if one is.
  ///
  /// An account that the user of acct has named comes second to one that has the user of the URL, and before none; a folder's
  /// only where the user of the URL decides nothing.
  package func allow(_ account: Account, by rule: SelectedBy) -> Bool {
    guard meant.isEmpty else { return meant.contains { $0.account.id == account.id } }
    return rule != .directory || unknownUser == nil
  }

  /// The user that is named, where it is none of several accounts' whose users are known.
  private var unknownUser: String? {
    guard meant.isEmpty, let user, !PlaceholderUser.isOne(user), all.count > 1,
      all.contains(where: { $0.account.hasUser(at: $0.url.origin) })
    else { return nil }
    return user
  }

  /// Decides for one of the accounts.
  ///
  /// - Parameters:
  ///   - active: The active account, which is also one whose credential is of no use.
  ///   - isUsable: Returns `true` if the credential of an account can be used; others yield to those.
  ///   - isPreferred: Returns `true` for an account that precedes the active one.
  /// - Returns: The decision.
  package func decide(
    active: AccountID?,
    isUsable: (Account) -> Bool = { _ in true },
    isPreferred: (Account) -> Bool = { _ in false }
  ) -> Decision {
    if let unknownUser { return .otherUser(unknownUser) }
    let meant = meant
    let rivals = meant.isEmpty ? all : meant
    let usable = rivals.filter { isUsable($0.account) || meant.isEmpty && $0.account.id == active }
    let candidates = usable.isEmpty ? rivals : usable
    let least = candidates.map(\.nearness).max()
    let nearest = candidates.filter { $0.nearness == least }
    guard let first = nearest.first else { return .none }
    let active = nearest.first { $0.account.id == active }
    let preferred = nearest.filter { isPreferred($0.account) }
    // Of those that are of no use, the first tells why.
    let one = preferred.count == 1 ? preferred.first : active ?? (nearest.count == 1 || usable.isEmpty ? first : nil)
    guard let one else { return .several(nearest) }
    return .one(one, by: !meant.isEmpty ? .user : one.account.id == active?.account.id ? .active : .url)
  }
}

/// A user whom a login of another program does not name: its account is called after the program.
package enum UnnamedUser {
  package static let names: Set<String> = ["gh", "glab", "git", "netrc", "docker", "cargo", "oidc-agent"]
}

extension Owners.Owner {
  /// The length of the longest place that the URL is in; -1 where the origin is the account's own, and the URL is in none.
  fileprivate var nearness: Int { account.origins.nearestPlace(to: url)?.path.utf8.count ?? -1 }
}

extension Account {
  /// Returns `true` if a user that a URL or a program names is this account's.
  fileprivate func isOf(_ user: String, at origin: Origin) -> Bool {
    if let own = credentialForm.basicUser { return own == user }
    return users(at: origin).contains { $0.lowercased() == user.lowercased() }
  }

  /// Returns `true` if the name of an account stands for its user; a password is given for its own user alone.
  fileprivate func isCalled(_ name: String) -> Bool { credentialForm.basicUser == nil && self.name.description == name }

  /// `true` if it is known whose account it is.
  fileprivate func hasUser(at origin: Origin) -> Bool {
    users(at: origin).contains { !PlaceholderUser.isOne($0) && !UnnamedUser.names.contains($0) }
  }

  /// The names that are known of its user.
  private func users(at origin: Origin) -> [String] {
    if let own = credentialForm.basicUser { return [own] }
    let suffix = "@\(origin.authority)"
    let named = name.description.hasSuffix(suffix) ? String(name.description.dropLast(suffix.count)) : nil
    return [named, displayName, handle?.description].compactMap(\.self)
  }
}
