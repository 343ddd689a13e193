package import AcctModel

extension Account {
  /// Makes sure that its token alone is a bearer token (RFC 6750).
  ///
  /// One that is bound to a key, a sealed session and a guest's token need more than themselves; a static token is
  /// one where it was added to be sent as one.
  ///
  /// - Throws: ``AuthorizationError/noBearerToken(_:)``.
  package func requireBearerToken() throws(EngineError) {
    let isBearer =
      switch tokenType {
      case .bearer: true
      case .static: (sentAs ?? .bearer) == .bearer
      case .dpop, .session, .guest: false
      }
    guard isBearer else { throw .authorization(.noBearerToken(name)) }
  }
}
