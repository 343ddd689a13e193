package import AcctModel

/// The forms that a refresh token is used with once an account has second tokens (RFC 6749, section 6).
package enum SecondTokenRequest {
  /// Asks for a token for a purpose.
  ///
  /// Whatever the purpose leaves open is requested as the account's own: an earlier request for another token may
  /// have changed what the server would choose. An audience is sent as `audience`, which servers accept for any
  /// audience; for an account of a server that knows resource indicators (RFC 8707), an audience that is a URL is
  /// sent as `resource`.
  ///
  /// - Parameters:
  ///   - purpose: The audience and scope of the token.
  ///   - refreshToken: The account's.
  ///   - account: With its own grant noted.
  ///   - clientID: As forms of its client have it.
  /// - Returns: The form.
  package static func form(
    for purpose: TokenPurpose,
    _ refreshToken: Token,
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
    form.add("scope", scope(of: purpose, besides: account.ownGrant))
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
    _ refreshToken: Token,
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
  private static func scope(of purpose: TokenPurpose, besides own: OwnGrant?) -> String? {
    guard let text = purpose.scopeText else { return own?.scope }
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
