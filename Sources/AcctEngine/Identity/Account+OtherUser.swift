import AcctModel
import Secrets
import AcctPorts
import AcctProtocol

extension SubjectStatements {
  /// Checks that a userinfo is about the same user as an earlier one, or as the ID token.
  ///
  /// - Throws: ``ServerError/otherUser(_:_:)``.
  func require(userinfo stated: String?, of origin: Origin, _ context: EngineContext) throws(EngineError) {
    // Without an ID token, the userinfo is compared with itself: an access token may name the user in another way.
    guard let expected = idToken ?? userinfo, let stated, stated != expected else { return }
    let shown = context.world.held.redactor.redact
    throw .server(.otherUser(OtherUser(place: .userinfo, expected: shown(expected), found: shown(stated)), origin))
  }
}

extension Account {
  /// The statement about another user in a renewal's response; `nil` if it states the account's user, or none.
  ///
  /// An ID token that can't be read states none, nor does one without a person's sign-in: it is not checked.
  func otherUser(in response: TokenResponse, showing shown: (String) -> String) -> OtherUser? {
    // If the DID did not lead to the server, the server may have its own name for the user.
    if let did, let stated = response.statedSubject, stated != did.description,
      issuerSource == .did || stated.hasPrefix("did:")
    {
      return OtherUser(place: .renewal, expected: did.description, found: shown(stated))
    }
    guard case .success(let token) = response.idToken, source == .issuer, !client.grant.renewsItself else { return nil }
    let subject = subjectStatements.idToken ?? token.subject
    guard token.subject == subject else {
      return OtherUser(place: .renewal, expected: shown(subject), found: shown(token.subject))
    }
    // Before the first ID token was checked, its issuer may have been spelled differently.
    let checked = subjectStatements.idToken == nil ? nil : identity.issuer?.description
    let issuer = checked ?? token.issuer
    guard token.issuer == issuer else {
      return OtherUser(
        place: .renewal,
        expected: "\(issuer) \(shown(subject))",
        found: "\(shown(token.issuer)) \(shown(subject))"
      )
    }
    return nil
  }
}

extension TokenResponse {
  /// The subject of a readable ID token.
  var idTokenSubject: String? { try? idToken?.get().subject }

  /// `true` for an ID token that can't be read, and so states nothing.
  var hasUnreadableIDToken: Bool { if case .failure(.unreadable) = idToken { true } else { false } }

  /// The ID token, once it has been checked, if an account keeps it.
  func newIDToken(for account: Account) -> IDToken? { account.mayHaveIDToken ? try? idToken?.get() : nil }
}
