import AcctModel
import Secrets
import AcctPorts
import AcctProtocol

/// The refresh token from before a new sign-in whose response has none.
///
/// Some servers send one only at the first consent, or only for some scopes. It is not tried out: that would use it
/// up.
enum EarlierRefreshToken {
  /// There was none, or the new sign-in brought its own.
  case notNeeded
  case kept(Secret, OwnGrant?)
  /// It is for less than the new scope, bound to another key, or of a session that has ended; or the server does not
  /// name the user of either, so that another person may have signed in.
  case lost

  /// - Parameters:
  ///   - before: The account before the sign-in, with its items.
  ///   - account: The account with its new credentials.
  ///   - items: Those credentials.
  ///   - isSure: `false` if it is not known that both are one person's.
  init(of before: StoredAccount, for account: Account, _ items: [Keyring.Item], isSure: Bool) {
    let known = before.account
    // The AT Protocol sends one each time, and the earlier session is revoked.
    guard account.kind == .oauth, known.source == .issuer, account.source == .issuer, account.did == nil,
      !account.client.grant.renewsItself, !items.contains(where: { $0.kind == .refreshToken }),
      let token = before.items[.refreshToken]
    else {
      self = .notNeeded
      return
    }
    let (old, new) = (Scope.words(known.scope), Scope.words(account.scope))
    guard isSure, account.subjectStatements != SubjectStatements(), known.recordedState.state != .reauthRequired,
      known.tokenType == account.tokenType, known.thumbprint == account.thumbprint,
      known.identity.clientID == account.identity.clientID, new.allSatisfy(old.contains)
    else {
      self = .lost
      return
    }
    // A renewal that names the scope keeps the account at the smaller one, which the user wanted.
    let isSmaller = !new.isEmpty && Set(new) != Set(old)
    let grant =
      isSmaller
      ? OwnGrant(scope: account.scope, audiences: known.ownGrant?.audiences ?? [])
      : known.ownGrant
    self = .kept(token, grant)
  }

  var isLost: Bool { if case .lost = self { true } else { false } }

  /// Adds it to new credentials, before the access token: all later items can be obtained again with it.
  func complete(_ account: inout Account, _ items: inout [Keyring.Item]) {
    guard case .kept(let token, let grant) = self else { return }
    let place = items.firstIndex { $0.kind == account.kind.tokenItem } ?? items.endIndex
    items.insert(.init(.refreshToken, token), at: place)
    account.tokenLifetime.canRenew = true
    account.ownGrant = grant
  }
}
