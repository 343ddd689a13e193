import AcctModel
import AcctProtocol

/// The check of a sign-in that its code is from the server that receives it (RFC 9700, section 4.4).
///
/// A server that only a resource names could redirect the browser to another server, and would then receive that
/// server's code. It can't if responses name their issuer, or if the server has registered acct with its own path: no
/// other server sends a code there. Otherwise only the user can see which server the browser showed.
enum MixUpDefense: Equatable {
  case notNeeded
  /// The user is asked which server the browser showed.
  case asksForHost(Origin)

  /// - Throws: ``ServerError/resource(_:_:)`` for a server that itself sends the browser to another origin,
  ///   ``SignInError/hostUnconfirmed(_:)`` if the user can't be asked.
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

  /// The prompt to show before the browser opens.
  var prompt: SignInPrompt? {
    switch self {
    case .notNeeded: nil
    case .asksForHost(let origin): .signInOnlyAt(origin)
    }
  }

  /// Asks the user, after the browser has returned.
  ///
  /// - Throws: ``EngineError/cancelled`` if the browser showed another server: its code is not sent.
  func confirm(by request: SignIn.Request) throws(EngineError) {
    guard case .asksForHost(let origin) = self else { return }
    guard request.confirmHost?(origin) == true else { throw .cancelled }
  }
}

extension SignIn.Request {
  /// The key under which the server's client is registered; `nil` if it can't be.
  var registrationPlace: String? {
    ClientBook.place(issuer, settings.endpoints)
  }

  /// `true` if its server has registered acct with a redirect path that no other server's client has.
  fileprivate var hasOwnRedirect: Bool {
    guard settings.isRegistered, let registrationPlace else { return false }
    return redirect?.tail == LoopbackRedirect.registered(at: registrationPlace).tail
  }
}
