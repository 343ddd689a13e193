package import AcctModel

/// The places at which an authorization server takes credentials: those of its own metadata, and those that the user has
/// named in their place.
package struct Endpoints: Sendable {
  private let urls: [HTTPURL?]

  package init(_ urls: [HTTPURL?]) { self.urls = urls }

  /// Permits credentials to be sent to one of them.
  ///
  /// - Throws: ``AuthorizationError/misdirected(_:)`` for any other URL.
  package func permit(to endpoint: HTTPURL) throws(AuthorizationError) -> Permit {
    guard urls.contains(endpoint) else { throw .misdirected(endpoint.origin) }
    return Permit(.origin(endpoint.origin))
  }
}
