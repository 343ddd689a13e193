import AcctModel
import AcctPorts
import AcctProtocol

/// The refresh token that an account had before a new sign-in, whose answer brought none.
///
/// Servers send one at the first consent alone, or for some scopes alone. It is kept untried: a try would use it up.
enum EarlierRefreshToken {
  /// There was none, or the new sign-in brought its own.
  case notNeeded
  case kept(Secret, OwnGrant?)
  /// It is for less than the new scope, bound to another key, or of a session that has ended; or the server does not say
  /// whose either is, and another person may have signed in.
  case lost

  /// - Parameters:
  ///   - before: The account as it was, with its items.
  ///   - account: The account with its new credentials.
  ///   - items: Those credentials.
  init(of before: StoredAccount, for account: Account, _ items: [Keyring.Item]) {
    let known = before.account
    // The AT Protocol sends one each time, and the session before is revoked.
    guard account.kind == .oauth, known.source == .issuer, account.source == .issuer, account.did == nil,
      !account.client.grant.renewsItself, !items.contains(where: { $0.kind == .refreshToken }),
      let token = before.items[.refreshToken]
    else {
      self = .notNeeded
      return
    }
    let (old, new) = (Scope.words(known.scope), Scope.words(account.scope))
    guard account.subjectStatements != SubjectStatements(), known.recordedState.state != .reauthRequired,
      known.tokenType == account.tokenType, known.thumbprint == account.thumbprint,
      known.identity.clientID == account.identity.clientID, new.allSatisfy(old.contains)
    else {
      self = .lost
      return
    }
    // A renewal by name keeps the account at the smaller scope, which the user wanted.
    let isSmaller = !new.isEmpty && Set(new) != Set(old)
    let grant =
      isSmaller
      ? OwnGrant(scope: account.scope, audiences: known.ownGrant?.audiences ?? [])
      : known.ownGrant
    self = .kept(token, grant)
  }

  var isLost: Bool { if case .lost = self { true } else { false } }

  /// Adds it to new credentials, before the access token: with it alone the rest can be had again.
  func complete(_ account: inout Account, _ items: inout [Keyring.Item]) {
    guard case .kept(let token, let grant) = self else { return }
    let place = items.firstIndex { $0.kind == account.kind.tokenItem } ?? items.endIndex
    items.insert(.init(.refreshToken, token), at: place)
    account.tokenLifetime.canRenew = true
    account.ownGrant = grant
  }
}
