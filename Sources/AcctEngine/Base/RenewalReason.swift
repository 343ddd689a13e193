package import Release

/// The reason for a renewal; with the state of the account under its lock, it decides whether a server is asked at
/// all.
///
/// |          | an authorization server is asked    | a backend is asked    | the session is then extended |
/// | ---      | ---                                 | ---                   | ---                          |
/// | due      | if too little time is left          | the same              | if too little time is left   |
/// | refused  | if that token is still kept, or due | if it is still kept   | if it is due                 |
/// | forced   | unless the time has changed         | always                | always                       |
/// | checked  | if it is due                        | always                | if it is due                 |
///
/// A backend is never asked if another process has obtained its confirmation meanwhile, nor an authorization server for
/// an ID token after a renewal that brought none.
package enum RenewalReason: Sendable {
  /// It may have no more than so many seconds left; the skew buffer if none are given.
  case due(leaving: Int64?)
  /// A server rejected a request with this token.
  case refused(Token)
  /// The user requests it.
  case forced
  /// The user asks whether the credentials still work, which an authorization server can answer without a renewal.
  case checked
  /// The ID token may have no more than so many seconds left; the skew buffer if none are given.
  case idToken(leaving: Int64?)
}
