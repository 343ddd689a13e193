/// A server's statement about another user than the one who signed in (OpenID Connect Core 1.0, sections 5.3.2 and
/// 12.2).
package struct OtherUser: Error, Equatable, Sendable {
  /// The statement's place.
  package enum Place: Sendable {
    /// The tokens of a renewal.
    case renewal
    case userinfo
  }

  package var place: Place
  /// Subjects as people may see them; with the issuer before them where only that differs.
  package var expected: String
  package var found: String

  /// Why a session is over that ended with it.
  var reason: String {
    switch place {
    case .renewal: "the server renewed the tokens for \(found) instead of \(expected)"
    case .userinfo: "the server's userinfo is about \(found) instead of \(expected)"
    }
  }
}
