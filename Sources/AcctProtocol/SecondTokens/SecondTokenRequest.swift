package import AcctModel
package import Release

/// The forms that a refresh token is used with once an account has second tokens (RFC 6749, section 6).
package enum SecondTokenRequest {
  /// Asks for a token for a purpose.
  ///
  /// Whatever the purpose leaves open is requested as the account's own: an earlier request for another token may
  /// have changed what the server would choose. For one of the account's resources that is the scope of the sign-in,
  /// of which each resource knows its own words; those of the first one's token may be unknown to it. An audience is sent as `audience`, which servers accept for any
  /// audience; for an account of a server that knows resource indicators (RFC 8707), an audience that is a URL is
  /// sent as `resource`.
  ///
  /// - Parameters:
  ///   - purpose: The audience and scope of the token.
  ///   - refreshToken: The account's.
  ///   - account: With its own grant noted.
  ///   - clientID: As forms of its client have it.
  /// - Returns: The forms: a second one, without a scope, is for a server that refuses the scope that acct chose.
  package static func forms(
    for purpose: TokenPurpose,
    _ refreshToken: RefreshToken,
    of account: Account,
    clientID: String?
  ) -> [FormBody] {
    let scope = scope(of: purpose, account)
    let isChosen = scope != nil && purpose.scope.isEmpty
    return ([scope] + (isChosen ? [nil] : []))
      .map { form(for: purpose, $0, refreshToken, of: account, clientID: clientID) }
  }

  private static func form(
    for purpose: TokenPurpose,
    _ scope: String?,
    _ refreshToken: RefreshToken,
    of account: Account,
    clientID: String?
  ) -> FormBody {
    var resource = account.resources.first
    var audiences = account.ownGrant?.audiences ?? []
    if let audience = purpose.audience {
      resource = account.resources.isEmpty ? nil : try? ResourceIndicator(audience)
      audiences = resource == nil ? [audience] : []
    }
    var form = RefreshRequest.form(refreshToken, clientID: clientID, resource: resource)
    form.add("scope", scope)
    add(audiences, of: account, isOwn: purpose.audience == nil, to: &form)
    return form
  }

  /// Asks for the account's own token, by name.
  ///
  /// - Parameters:
  ///   - grant: The scope and the audiences of the account's own token.
  ///   - refreshToken: The account's.
  ///   - account: The account.
  ///   - clientID: As forms of its client have it.
  /// - Returns: The form.
  package static func form(
    for grant: OwnGrant,
    _ refreshToken: RefreshToken,
    of account: Account,
    clientID: String?
  ) -> FormBody {
    var form = RefreshRequest.form(refreshToken, clientID: clientID, resource: account.resources.first)
    form.add("scope", grant.scope)
    add(grant.audiences, of: account, isOwn: true, to: &form)
    return form
  }

  /// The scope of a purpose.
  ///
  /// If the account's own has `offline_access`, a request without it could end the refresh token (OpenID Connect Core
  /// 1.0, section 11).
  private static func scope(of purpose: TokenPurpose, _ account: Account) -> String? {
    let own = account.ownGrant
    guard let text = purpose.scopeText else {
      guard account.hasResource(of: purpose), let signIn = account.signIn else { return own?.scope }
      return signIn.scope
    }
    let offline = "offline_access"
    let isLeftOut = Scope.words(own?.scope).contains(offline) && !purpose.scope.contains(offline)
    return isLeftOut ? "\(text) \(offline)" : text
  }

  /// Adds audiences, unless the account's own parameters or resources tell them already.
  private static func add(_ audiences: [String], of account: Account, isOwn: Bool, to form: inout FormBody) {
    let isTold =
      isOwn
      && (account.client.tokenParameters.contains { $0.name == "audience" }
        || !account.resources.isEmpty)
    if !audiences.isEmpty, !isTold { form.add("audience", audiences.joined(separator: " ")) }
  }
}

extension Account {
  /// `true` for a purpose whose audience is one of the resources that the sign-in was for.
  package func hasResource(of purpose: TokenPurpose) -> Bool {
    resources.contains { $0.description == purpose.audience }
  }
}
