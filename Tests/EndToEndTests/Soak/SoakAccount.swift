import AcctTestSupport
import StrictJSON
import Testing

/// One of the accounts of a soak, and how to tell that its headers are its own.
struct SoakAccount: Sendable {
  enum Kind: Sendable { case oauth, session, guest }

  let id: String
  let kind: Kind
  /// The `sub` that its access tokens have, where they tell.
  let subject: String?
  /// What its headers are for.
  let url: String

  /// Whether header lines are those of this account and of no other.
  func owns(_ headers: String) -> Bool {
    switch kind {
    case .session: headers.hasPrefix("Cookie: sid=Fe26")
    case .guest: headers.hasPrefix("Authorization: Bearer ") && headers.contains("X-Device-ID: ")
    case .oauth: TokenText(in: headers)?.subject == subject
    }
  }
}
