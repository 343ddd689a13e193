package import AcctModel

/// A backend that keeps a session for its user did not go on with it.
package enum SessionError: Error, Equatable, Sendable {
  /// What it says is about somebody else than it should be.
  case otherIdentity(expected: String, found: String, Origin)
  /// It could not extend the session; that says nothing of the session itself.
  case notExtended(account: AccountName, reason: String)
  /// It refuses the session, for no reason that would end it.
  case refused(account: AccountName, reason: String)
}
