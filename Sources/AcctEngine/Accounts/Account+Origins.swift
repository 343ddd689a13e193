package import AcctModel

extension Account {
  /// Refuses an origin that the account's credential may not be sent to.
  ///
  /// - Throws: ``AuthorizationError/originRefused(_:account:allowed:)``.
  package func requireOwn(_ origin: Origin) throws(EngineError) {
    guard origins.contains(origin) else { throw refusal(of: origin) }
  }

  /// The error for an origin that the credential is not for.
  ///
  /// - Parameters:
  ///   - origin: The origin of a request.
  ///   - allowed: Where the credential may be sent; `nil` for all the account's origins.
  /// - Returns: The error.
  func refusal(of origin: Origin, allowed: [Origin]? = nil) -> EngineError {
    .authorization(.originRefused(origin, account: name, allowed: allowed ?? Array(origins)))
  }
}
