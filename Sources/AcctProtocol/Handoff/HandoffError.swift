package import AcctModel
package import StrictJSON

/// Why imported credentials can't be used.
///
/// Cases name members, never their values, which may be secrets.
package enum HandoffError: Error, Equatable, Sendable {
  case json(JSONError)
  /// The JSON is not an object.
  case notAnObject
  /// There is no access token.
  case missing(member: String)
  /// A member has another type or form than it must have.
  case member(String, Flaw)
  /// A URL in a member is one that no credential may be sent to.
  case refused(member: String, ParseError.Refusal)
  case key(JWKError)
  /// The token is bound to a DPoP key, and none came with it.
  case keyMissing
  /// The token's `cnf.jkt` is the thumbprint of another key.
  case keyBinding
  case token(JWTError)

  /// What is wrong with a member.
  package enum Flaw: Equatable, Sendable {
    case notAString
    case notAnArrayOfStrings
    /// Both spellings are there.
    case doubled
    /// Not a handle, DID, URL, origin or token, whichever it must be.
    case malformed
    /// Not a time, or one that can't be used.
    case unusableTime
    /// A `token_type` other than DPoP and Bearer.
    case unknownTokenType
  }
}
