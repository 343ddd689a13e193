package import AcctModel

/// The decision that a credential may be used, made before the credential is read.
///
/// A permit is for one account, one token and one recipient, and nothing else makes a ``Released`` of a ``Token``. It is
/// made here alone: by an account for its own origins and for the user, by a server for its own endpoints, and for the
/// server that issued a credential.
package final class Permit: Sendable {
  /// Who gets the credential.
  package enum Recipient: Equatable, Sendable {
    /// A server, and no other.
    case origin(Origin)
    /// The user, or a program that the user runs; it is not sent.
    case user
  }

  /// Which of an account's tokens it is for.
  package enum Choice: Equatable, Sendable {
    /// The account's own access token, or the one for this purpose.
    case token(for: TokenPurpose?)
    case idToken
  }

  package let recipient: Recipient
  package let choice: Choice
  /// The account whose token it is for; `nil` for a credential that is no account's yet.
  let owner: AccountID?
  let form: Form

  /// The form in which the token is sent.
  enum Form: Sendable {
    case authorization(scheme: String)
    case cookie
    case field(StaticHeader)
    /// It is sent in no field of its own: in a body, or not at all.
    case none
  }

  init(_ recipient: Recipient, _ choice: Choice = .token(for: nil), of owner: AccountID? = nil, as form: Form = .none) {
    self.recipient = recipient
    self.choice = choice
    self.owner = owner
    self.form = form
  }

  /// Permits a credential to go back to the server that issued it, or is about to: a backend, and what registers a
  /// client.
  package convenience init(backTo issuer: Origin) { self.init(.origin(issuer)) }

  /// The same for a sealed session, which is sent as a cookie.
  package convenience init(sessionBackTo backend: Origin) { self.init(.origin(backend), as: .cookie) }
}

extension Account {
  /// Permits the token of a request to be sent to its URL's origin, or its lines to be printed for that.
  ///
  /// - Parameters:
  ///   - url: The URL of the request; `nil` where the lines are the same for every URL.
  ///   - purpose: The purpose that the user wants the token for, if it differs from the URL's own.
  ///   - asBearer: A sealed session is sent as a bearer token instead of a cookie; the tokens of others are bearer tokens
  ///     already, or can't be, or are sent in the form in which the user added them.
  /// - Returns: The permit, which chooses the token.
  /// - Throws: ``AuthorizationError``.
  package func permit(
    to url: HTTPURL?,
    for purpose: TokenPurpose? = nil,
    asBearer: Bool = false
  ) throws(AuthorizationError) -> Permit {
    if asBearer, tokenType == .dpop { throw .noBearer(self) }
    guard tokenType != .none else { throw .notSent(name) }
    if let url {
      try requireOwn(url.origin)
    } else if tokenType == .dpop {
      throw .urlNeeded(name)
    }
    let purpose = try self.purpose(for: url, purpose)
    let recipient = url.map { Permit.Recipient.origin($0.origin) } ?? .user
    if purpose == nil, sendsIDToken(to: url) {
      return Permit(recipient, .idToken, of: id, as: .authorization(scheme: "Bearer"))
    }
    let form: Permit.Form =
      switch tokenType {
      case .dpop: .authorization(scheme: "DPoP")
      case .session where !asBearer: .cookie
      case .bearer, .session, .guest, .none: .authorization(scheme: "Bearer")
      case .static: .field(sentAs ?? .bearer)
      }
    return Permit(recipient, .token(for: purpose), of: id, as: form)
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
    if isIDToken { return Permit(.user, .idToken, of: id, as: .authorization(scheme: "Bearer")) }
    return Permit(.user, .token(for: try self.purpose(for: url, purpose)), of: id)
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
    return Permit(server.map { .origin($0) } ?? .user, isIDToken ? .idToken : .token(for: nil), of: id)
  }

  /// Permits an access token or ID token to be sent in the body of a request to a service of the account.
  ///
  /// - Throws: ``AuthorizationError/originRefused(_:account:allowed:)``.
  package func permit(inBodyTo url: HTTPURL, idToken isIDToken: Bool) throws(AuthorizationError) -> Permit {
    try requireOwn(url.origin)
    return Permit(.origin(url.origin), isIDToken ? .idToken : .token(for: nil), of: id)
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
