import AcctModel
import AcctProtocol

/// How a sign-in makes sure that its code is from the server that gets it (RFC 9700, section 4.4).
///
/// A server that only a resource names could send the browser on to another server, and would then get that server's
/// code. It can't where answers name their issuer, or where the server has registered acct with a path of its own: no
/// other server sends a code there. Otherwise only the user can see where the browser was.
enum MixUpDefense: Equatable {
  case notNeeded
  /// The user is asked which server the browser showed.
  case asksForHost(Origin)

  /// - Throws: ``ServerError/resource(_:_:)`` for a server that sends the browser to another origin itself,
  ///   ``SignInError/hostUnconfirmed(_:)`` where the user can't be asked.
  init(_ request: SignIn.Request, at server: AuthorizationServer) throws(EngineError) {
    guard request.issuerSource == .resource, let endpoint = server.authorizationEndpoint,
      !server.isGiven(endpoint), !server.sendsIssuer
    else {
      self = .notNeeded
      return
    }
    guard endpoint.origin == server.origin else {
      throw .server(.resource(.signInElsewhere(endpoint.origin), server.origin))
    }
    guard !request.hasOwnRedirect else {
      self = .notNeeded
      return
    }
    guard request.confirmHost != nil else { throw .signIn(.hostUnconfirmed(server.origin)) }
    self = .asksForHost(server.origin)
  }

  /// What the user must see before the browser opens.
  var prompt: SignInPrompt? {
    switch self {
    case .notNeeded: nil
    case .asksForHost(let origin): .signInOnlyAt(origin)
    }
  }

  /// Asks the user, once the browser has come back.
  ///
  /// - Throws: ``EngineError/cancelled`` where the browser showed another server: its code goes nowhere.
  func confirm(by request: SignIn.Request) throws(EngineError) {
    guard case .asksForHost(let origin) = self else { return }
    guard request.confirmHost?(origin) == true else { throw .cancelled }
  }
}

extension SignIn.Request {
  /// What tells the server from all others where clients are registered; `nil` where none can be.
  var registrationPlace: String? {
    issuer.map { $0.url.origin.description + $0.url.path } ?? settings.endpoints[.registration]?.origin.description
  }

  /// Whether its server has registered acct with a redirect path that no other server's client has.
  fileprivate var hasOwnRedirect: Bool {
    guard settings.isRegistered, let registrationPlace else { return false }
    return redirect?.tail == LoopbackRedirect.registered(at: registrationPlace).tail
  }
}
