package import AcctModel

/// The decision that a credential may be used.
///
/// A permit is for one URL, or for the user, and where an account gives it, for that account's token; nothing else makes
/// a ``Released`` of a ``Token``. An account gives one for its own origins and for the user, before the keyring is read;
/// a server for its own endpoints; and one that issued a credential gets it back.
package final class Permit: Sendable {
  /// Where the credential is sent; `nil` where it is not sent, but handed to the user, or to a program that the user runs.
  let url: HTTPURL?
  /// `true` if it is for the account's ID token.
  package let isForIDToken: Bool
  /// The purpose of the access token that it is for, if that differs from the account's own.
  package let purpose: TokenPurpose?
  /// The account whose token it is for; `nil` for a credential that is no account's yet.
  let owner: AccountID?
  let form: Form

  /// The form in which the token is sent.
  enum Form: Sendable {
    case authorization(scheme: String)
    case cookie
    case field(StaticHeader)
    /// As the value of this parameter of the URL's query.
    case query(String)
    /// It is sent in no field of its own: in a body, or not at all.
    case none
  }

  init(
    _ url: HTTPURL?,
    idToken isForIDToken: Bool = false,
    for purpose: TokenPurpose? = nil,
    of owner: AccountID? = nil,
    as form: Form = .none
  ) {
    self.url = url
    self.isForIDToken = isForIDToken
    self.purpose = purpose
    self.owner = owner
    self.form = form
  }

  /// Permits a credential to go back to the server that issued it, or is about to: a backend, and what registers a
  /// client.
  package convenience init(backTo url: HTTPURL) { self.init(url) }

  /// The same for a sealed session, which is sent as a cookie.
  package convenience init(sessionBackTo url: HTTPURL) { self.init(url, as: .cookie) }
}

extension Permit.Form {
  fileprivate init(_ header: StaticHeader) { self = header.form == .query ? .query(header.field) : .field(header) }
}

extension Permit {
  /// Permits credentials to be sent to one of a server's endpoints: those of its own metadata, and those that the user has
  /// named in their place.
  ///
  /// - Throws: ``AuthorizationError/misdirected(_:)`` for any other URL.
  package static func to(_ url: HTTPURL, among endpoints: [HTTPURL?]) throws(AuthorizationError) -> Permit {
    guard endpoints.contains(url) else { throw .misdirected(url.origin) }
    return Permit(url)
  }
}

extension Account {
  /// Permits the token of a request to be sent to its URL, or its lines to be printed for that.
  ///
  /// - Parameters:
  ///   - url: The URL of the request.
  ///   - purpose: The purpose that the user wants the token for, if it differs from the URL's own.
  ///   - asBearer: A sealed session is sent as a bearer token instead of a cookie; the tokens of others are bearer tokens
  ///     already, or can't be, or are sent in the form in which the user added them.
  /// - Returns: The permit, which chooses the token.
  /// - Throws: ``AuthorizationError``.
  package func permit(
    to url: HTTPURL,
    for purpose: TokenPurpose? = nil,
    asBearer: Bool = false
  ) throws(AuthorizationError) -> Permit {
    try permit(at: url, for: purpose, asBearer: asBearer)
  }

  /// Permits the lines of a request to be printed where they are the same for every URL; they are sent to none.
  ///
  /// - Throws: ``AuthorizationError``; see ``permit(to:for:asBearer:)``.
  package func permitForEveryURL(
    for purpose: TokenPurpose? = nil,
    asBearer: Bool = false
  ) throws(AuthorizationError) -> Permit {
    try permit(at: nil, for: purpose, asBearer: asBearer)
  }

  private func permit(
    at url: HTTPURL?,
    for purpose: TokenPurpose?,
    asBearer: Bool
  ) throws(AuthorizationError) -> Permit {
    if asBearer, tokenType == .dpop { throw .noBearer(self) }
    guard tokenType != .none else { throw .notSent(name) }
    if let url {
      try requireOwn(url.origin)
    } else if tokenType == .dpop {
      throw .urlNeeded(name)
    }
    let purpose = try self.purpose(for: url, purpose)
    if purpose == nil, sendsIDToken(to: url) {
      return Permit(url, idToken: true, of: id, as: .authorization(scheme: "Bearer"))
    }
    let form: Permit.Form =
      switch tokenType {
      case .dpop: .authorization(scheme: "DPoP")
      case .session where !asBearer: .cookie
      case .bearer, .session, .guest, .none: .authorization(scheme: "Bearer")
      case .static: Permit.Form(sentAs ?? .bearer)
      }
    return Permit(url, for: purpose, of: id, as: form)
  }

  /// Permits a token to be handed to the user, or to a program that the user runs.
  ///
  /// - Parameters:
  ///   - url: The URL that the user wants it for, if one is named.
  ///   - isIDToken: `true` for the ID token.
  ///   - purpose: The purpose that the user wants the access token for, if it differs from the URL's own.
  /// - Returns: The permit.
  /// - Throws: ``AuthorizationError``.
  package func permit(
    handingOverFor url: HTTPURL?,
    idToken isIDToken: Bool = false,
    for purpose: TokenPurpose? = nil
  ) throws(AuthorizationError) -> Permit {
    if let url { try requireOwn(url.origin) }
    if isIDToken { return Permit(nil, idToken: true, of: id, as: .authorization(scheme: "Bearer")) }
    return Permit(nil, for: try self.purpose(for: url, purpose), of: id)
  }

  /// Permits a token to be what another account's request starts from, at a server that issued it or that the user has
  /// allowed for it.
  ///
  /// - Parameters:
  ///   - server: The server of the request, if it is known.
  ///   - isIDToken: `true` for the ID token.
  /// - Returns: The permit.
  /// - Throws: ``AuthorizationError/originRefused(_:account:allowed:)``: a file of settings must not draw an account's
  ///   token to a server that the user has not allowed for it.
  package func permit(lendingTo server: Origin?, idToken isIDToken: Bool) throws(AuthorizationError) -> Permit {
    let issuing = client.endpoints[.token]?.origin ?? identity.issuer?.url.origin
    if let server, server != issuing { try requireOwn(server) }
    return Permit(nil, idToken: isIDToken, of: id)
  }

  /// Permits an access token or ID token to be sent in the body of a request to a service of the account.
  ///
  /// - Throws: ``AuthorizationError/originRefused(_:account:allowed:)``.
  package func permit(inBodyTo url: HTTPURL, idToken isIDToken: Bool) throws(AuthorizationError) -> Permit {
    try requireOwn(url.origin)
    return Permit(url, idToken: isIDToken, of: id)
  }

  /// Checks an origin where only what its server said is used, and no credential: what another program received, or a
  /// kept limit.
  ///
  /// - Throws: ``AuthorizationError/originRefused(_:account:allowed:)``.
  package func requireOwn(_ origin: Origin) throws(AuthorizationError) {
    guard origins.contains(origin) else { throw refusal(of: origin) }
  }

  /// The error for an origin that the credential is not for.
  ///
  /// - Parameters:
  ///   - origin: The origin of a request.
  ///   - allowed: Where the credential may be sent; `nil` for all the account's origins.
  /// - Returns: The error.
  package func refusal(of origin: Origin, allowed: [Origin]? = nil) -> AuthorizationError {
    .originRefused(origin, account: name, allowed: allowed ?? Array(origins))
  }
}
