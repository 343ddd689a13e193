/// A reason that acct itself has for a state.
///
/// Its text is part of formats: an account's file and the JSON of `status` have it, beside the words of servers.
package enum StateReason: Equatable, Sendable {
  /// The clock has ended a guest's token.
  case lifetimeEnded
  /// The server rejected a guest's token.
  case rejected
  /// The server at this origin answered 401.
  case unauthorized(Origin)
  /// The server at this origin says that the token is not active (RFC 7662).
  case inactive(Origin)
  case refreshTokenInvalid
  /// The session ended after a renewal whose answer was never stored; the server's words.
  case interrupted(String)
  /// The session ended after a renewal whose answer could not be stored; the server's words.
  case unstored(String)
  /// The server refused with this status and no words.
  case answered(status: Int)
  /// The server renewed the tokens for another user.
  case renewedForOther(found: String, expected: String)
  /// The server's userinfo is about another user.
  case userinfoOfOther(found: String, expected: String)
  case renewalRefused(String)
  case secretsMissing
  /// The token's file was rebuilt from the keyring, which did not have the token.
  case missingAtRebuild
  /// Less time is left than a command requests, and it can't be renewed.
  case tooShort
  /// The user requested more time than is left.
  case shorterThanRequested
  /// The certificate of the account's client is no longer valid.
  case certificateEnded(Timestamp)
  /// The user had it ended.
  case rotated

  package var text: String {
    switch self {
    case .lifetimeEnded: "its lifetime has ended"
    case .rejected: "its server rejected it"
    case .unauthorized(let origin): "\(origin) answered 401"
    case .inactive(let origin): "\(origin) reports that its token is not active"
    case .refreshTokenInvalid: "the refresh token is no longer valid"
    case .interrupted(let words):
      "an earlier renewal was interrupted before its answer could be stored, and \(words)"
    case .unstored(let words): "the answer to an earlier renewal could not be stored, and \(words)"
    case .answered(let status): "it answered \(status)"
    case .renewedForOther(let found, let expected): "the server renewed the tokens for \(found) instead of \(expected)"
    case .userinfoOfOther(let found, let expected): "the server's userinfo is about \(found) instead of \(expected)"
    case .renewalRefused(let reason): "its last renewal was refused: \(reason)"
    case .secretsMissing: "its secrets are not in the keyring"
    case .missingAtRebuild: "its token was not in the keyring when its file was rebuilt"
    case .tooShort: "it has less time left than requested, and can't be renewed"
    case .shorterThanRequested: "it has less time left than requested"
    case .rotated: "`acct rotate` has ended it"
    case .certificateEnded(let time): "its client certificate ended at \(time)"
    }
  }
}
