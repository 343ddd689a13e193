/// The grant of an account's own tokens, noted before its refresh token is first used for another token.
///
/// A server may take the scope and audience of such a request as the refresh token's own from then on, so that a
/// renewal that names none would narrow the account's grant. From then on each renewal of the account requests this by
/// name.
package struct OwnGrant: Equatable, Sendable {
  /// The scope, where a server or the user ever named it.
  package var scope: String?
  /// The audiences, where the account's own token names them.
  package var audiences: [String]

  package init(scope: String?, audiences: [String]) {
    self.scope = scope
    self.audiences = audiences
  }
}

/// The `sub` by which a server named an account's user, by the place of the statement.
///
/// A server may name one user differently in its access tokens and elsewhere, so each statement is compared with
/// earlier ones of the same place alone.
package struct SubjectStatements: Equatable, Sendable {
  /// The `sub` of an ID token.
  package var idToken: String?
  /// The `sub` of the userinfo, which may be the source of the account's subject.
  package var userinfo: String?

  package init(idToken: String? = nil, userinfo: String? = nil) {
    self.idToken = idToken
    self.userinfo = userinfo
  }
}
