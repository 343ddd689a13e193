/// The settings of an account's sign-in beyond those of its client, so that the next one needs none of them again.
package struct SignInSettings: Equatable, Sendable {
  /// The scope that was asked for; `nil` for the usual one.
  package var scope: String?
  /// `true` for a sign-in on another device (RFC 8628), where the provider does not prefer that anyway.
  package var usesDevice: Bool
  /// The redirect address that is registered with the client, where that is not acct's usual one.
  package var redirect: LoopbackRedirect?
  /// The loopback port to listen on; `nil` for a free one.
  package var redirectPort: Int?
  /// The backend's address as it was typed, which may have a path.
  package var backend: String?
  /// The identity that a backend is asked for, as it was typed; `nil` where its own page asks.
  package var identifier: String?
  /// The beginning of the address at which a backend's sign-in ends, as it was typed; `nil` for the usual one.
  package var callback: String?
  /// The endpoints that were typed, beside those of a provider.
  package var endpoints: [EndpointName: HTTPURL]
  /// More parameters of each authorization request.
  package var parameters: [RequestParameter]
  /// `true` if resource servers get the ID token as the bearer token.
  package var sendsIDToken = false
  /// The token endpoint that the server's metadata named last, as text: a renewal needs no metadata if it is known.
  package var tokenEndpoint: String?

  package init(
    scope: String? = nil,
    usesDevice: Bool = false,
    redirect: LoopbackRedirect? = nil,
    redirectPort: Int? = nil,
    backend: String? = nil,
    identifier: String? = nil,
    callback: String? = nil,
    endpoints: [EndpointName: HTTPURL] = [:],
    parameters: [RequestParameter] = []
  ) {
    self.scope = scope
    self.usesDevice = usesDevice
    self.redirect = redirect
    self.redirectPort = redirectPort
    self.backend = backend
    self.identifier = identifier
    self.callback = callback
    self.endpoints = endpoints
    self.parameters = parameters
  }
}
