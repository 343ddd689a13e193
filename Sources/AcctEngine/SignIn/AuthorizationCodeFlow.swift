import AcctModel
import AcctPorts
import AcctProtocol
import Release
import Secrets

/// The authorization code grant through the user's browser (RFC 6749, section 4.1; RFC 8252).
struct AuthorizationCodeFlow: Sendable {
  private let context: EngineContext
  private let client: DPoPClient

  init(_ context: EngineContext, _ client: DPoPClient) {
    self.context = context
    self.client = client
  }

  private var world: World { context.world }

  /// The authorization request, its server and its client.
  struct Parameters: Sendable {
    var server: AuthorizationServer
    var client: ServerClient
    var clientID: String
    var scope: String?
    var resources: [ResourceIndicator] = []
    var loginHint: String?
    /// The key that the tokens are to be bound to, if any.
    var key: DPoPKey?
    /// `true` if the very first request carries a proof, as AT Protocol requires.
    var provesAtOnce = false
    var opensBrowser: Bool
    var redirect: LoopbackRedirect
    /// More parameters of the authorization request.
    var more: [RequestParameter] = []
    /// The longest wait for the callback, in seconds.
    var callbackTimeout: Int64
  }

  /// The server's grant.
  struct Outcome: Sendable {
    var response: TokenResponse
    /// The nonce that an ID token must repeat, if one was requested.
    var nonce: String?
    /// Notices for the user.
    var notices: [Notice]
  }

  /// Sends the user to the server, waits for the callback, and exchanges its code.
  ///
  /// - Parameters:
  ///   - parameters: The request.
  ///   - report: Takes the prompts to show while it waits.
  ///   - confirm: Called before the code is sent.
  /// - Returns: The grant of the token endpoint.
  /// - Throws: ``EngineError``; nothing is left behind.
  func run(
    _ parameters: Parameters,
    report: @escaping @Sendable (SignInPrompt) -> Void,
    confirm: () throws(EngineError) -> Void = {}
  ) async throws(EngineError) -> Outcome {
    let origin = parameters.server.origin
    guard let endpoint = parameters.server.authorizationEndpoint else {
      throw .server(.oauth(.unsupported(.authorizationCode), origin))
    }
    guard parameters.server.offersS256 else { throw .server(.oauth(.unsupported(.codeChallengeS256), origin)) }
    let listening: Listening
    do { listening = try await world.listener.listen(parameters.redirect) } catch { throw .signIn(.listen(error)) }
    let request = AuthorizationRequest(
      clientID: parameters.clientID,
      redirectURI: parameters.redirect.text(port: listening.port),
      scope: parameters.scope,
      resources: parameters.resources,
      loginHint: parameters.loginHint,
      more: parameters.more,
      thumbprint: parameters.provesAtOnce ? nil : parameters.key?.thumbprint,
      random: world.entropy.bytes(AuthorizationRequest.randomCount)
    )
    world.held.hold([Secret(request.state), request.pkce.verifier])
    if let nonce = request.nonce { world.held.hold(Secret(nonce)) }
    var notices: [Notice] = []
    let asked = RequestRefusal.Asked(parameters.client, parameters.scope, parameters.resources)
    let code: Result<Secret, EngineError>
    do throws(EngineError) {
      let (address, notice) = try await address(of: request, at: endpoint, parameters)
      notices += [notice].compactMap(\.self)
      let receiver = CallbackReceiver(
        context,
        listening,
        request,
        parameters.redirect,
        parameters.server,
        timeout: parameters.callbackTimeout
      )
      code = .success(
        try await receiver.answer(at: address, of: origin, opensBrowser: parameters.opensBrowser, report: report).code()
      )
    } catch {
      code = .failure(error)
    }
    await listening.close()
    do throws(EngineError) {
      let exchange = request.exchange(try code.get(), clientID: parameters.client.formID)
      try confirm()
      let response = try await TokenEndpoint(of: parameters.server, by: parameters.client, client)
        .grant(GrantForm(exchange), key: parameters.key)
      return Outcome(response: response, nonce: request.nonce, notices: notices)
    } catch {
      throw error.refusing(asked)
    }
  }

  /// The address for the browser, after pushing the request if that is useful.
  ///
  /// An address that the user opens later may have expired by then: unless the server requires a pushed request, the
  /// address itself contains the request.
  private func address(
    of request: AuthorizationRequest,
    at endpoint: HTTPURL,
    _ parameters: Parameters
  ) async throws(EngineError) -> (SignInAddress, Notice?) {
    let isPushed = parameters.opensBrowser || parameters.provesAtOnce || parameters.server.requiresPushedRequest
    let pushed: PushedRequest.Outcome =
      isPushed
      ? try await PushedRequest(by: parameters.client, client)
        .push(request, to: parameters.server, key: parameters.key, provesAtOnce: parameters.provesAtOnce) : .notOffered
    var address = SignInAddress(request.browserAddress(at: endpoint, pushed: pushed.requestURI))
    if let seconds = pushed.validFor {
      address.end = SignInAddress.End(seconds: seconds) { () throws(EngineError) in
        try await self.address(of: request, at: endpoint, parameters).0
      }
    }
    return (address, pushed.notice(parameters.server.origin))
  }
}

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
