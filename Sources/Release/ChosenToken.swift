package import AcctModel

extension Account {
  /// The purpose of a request's token, if it differs from that of the account's own token.
  ///
  /// An account with several resources has its own token for the first, and a second token for each other, which a
  /// request to that one's origin gets by itself. No token for one of them goes to another's origin.
  ///
  /// - Parameters:
  ///   - url: The URL of the request; `nil` for the account's own token.
  ///   - typed: The purpose that the user requested.
  /// - Returns: The purpose; `nil` for the account's own token.
  /// - Throws: ``AuthorizationError/originRefused(_:account:allowed:)`` for an audience that is another resource,
  ///   ``AuthorizationError/noTokenForResource(_:_:)`` if no second token can be obtained.
  package func purpose(for url: HTTPURL?, _ typed: TokenPurpose?) throws(AuthorizationError) -> TokenPurpose? {
    // A grant that renews itself names them all, and has one token.
    guard resources.count > 1, let url, let resource = resource(of: url), !client.grant.renewsItself
    else { return typed }
    if let audience = typed?.audience {
      guard let other = resources.first(where: { $0.description == audience }), other.origin != url.origin
      else { return typed }
      throw refusal(of: url.origin, allowed: [other.origin])
    }
    guard resource != resources.first else { return typed }
    guard canHaveSecondTokens, let purpose = try? TokenPurpose(audience: resource.description, scope: typed?.scopeText)
    else { throw .noTokenForResource(self, resource) }
    return purpose
  }

  /// The resource of a URL, if it is at the origin of one: the one whose path the URL's path is below, else the first.
  private func resource(of url: HTTPURL) -> ResourceIndicator? {
    let there = resources.filter { $0.origin == url.origin }
    guard there.count > 1 else { return there.first }
    func depth(_ resource: ResourceIndicator) -> Int? {
      guard let place = try? HTTPURL(resource.description) else { return nil }
      let path = place.path.hasSuffix("/") ? String(place.path.dropLast()) : place.path
      return url.path == path || url.path.hasPrefix("\(path)/") ? path.utf8.count : nil
    }
    return there.max { (depth($0) ?? -1) < (depth($1) ?? -1) } ?? there.first
  }
}

extension Account {
  /// Checks that its token alone is a bearer token (RFC 6750).
  ///
  /// A token that is bound to a key, a sealed session and a guest's token need more than themselves; a static token is
  /// one if it was added to be sent as one.
  ///
  /// - Throws: ``AuthorizationError/noBearerToken(_:)``.
  package func requireBearerToken() throws(AuthorizationError) {
    let isBearer =
      switch tokenType {
      case .bearer: true
      case .static: (sentAs ?? .bearer) == .bearer
      case .dpop, .session, .guest, .none: false
      }
    guard isBearer else { throw .noBearerToken(self) }
  }
}

extension Account {
  /// `true` if its refresh token can obtain tokens for other purposes.
  package var canHaveSecondTokens: Bool { kind == .oauth && tokenLifetime.canRenew && !client.grant.renewsItself }

  /// `true` if a URL's server gets the ID token as the bearer token; never the server that issued it, whose own endpoints
  /// take the access token.
  package func sendsIDToken(to url: HTTPURL?) -> Bool {
    signIn?.sendsIDToken == true && url?.origin != identity.issuer?.url.origin
  }
}
