package import AcctModel
package import AcctPorts

/// A session did not continue, because of its backend or the keyring.
package enum SessionError: Error, Equatable, Sendable {
  /// The backend names another user.
  case otherIdentity(expected: String, found: String, Origin)
  /// It says that a session goes on, but not whose it is.
  case unnamed(account: AccountName, Origin)
  /// It could not extend the session; that says nothing of the session itself.
  case notExtended(account: AccountName, reason: String)
  /// It refuses the session, for no reason that would end it.
  case refused(account: AccountName, reason: String)
  /// What a server gave could not be stored, although there was time to unlock the keyring.
  case notStored(KeyringFailure, Keyring.Kind)
}
