/// The state of an account, as scripts read it.
package enum SessionState: String, Sendable, CaseIterable {
  /// More than the skew buffer is left.
  case valid
  /// The buffer or less is left, or it is past, and it can be renewed.
  case expiring
  /// The buffer or less is left, and it cannot be renewed.
  case expired
  /// The keyring holds it and is locked.
  case locked
  /// The keyring does not answer.
  case unavailable
  /// The server has ended the session.
  case reauthRequired
  /// The account is known, and its secrets are missing.
  case signedOut
}
