/// The `sub` by which a server named an account's user, by where it was said.
///
/// A server may name one user differently in its access tokens and elsewhere, so each statement is compared with
/// earlier ones of the same place alone.
package struct SubjectStatements: Equatable, Sendable {
  /// Of an ID token.
  package var idToken: String?
  /// Of the userinfo, which the account's subject may have come from.
  package var userinfo: String?

  package init(idToken: String? = nil, userinfo: String? = nil) {
    self.idToken = idToken
    self.userinfo = userinfo
  }
}
