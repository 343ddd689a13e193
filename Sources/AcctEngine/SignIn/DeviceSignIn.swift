import AcctModel
import AcctPorts
import AcctProtocol
import StrictJSON

/// Signs in on another device (RFC 8628): shows a code, and polls until the user has entered it.
package struct DeviceSignIn: Sendable {
  private let context: EngineContext
  private let client: DPoPClient

  package init(_ context: EngineContext) {
    self.context = context
    client = context.client
  }

  /// Signs in.
  ///
  /// - Parameters:
  ///   - request: The user's request.
  ///   - report: Takes the prompts to show.
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``EngineError``; nothing is left behind.
  package func signIn(
    _ request: SignIn.Request,
    report: @escaping @Sendable (SignInPrompt) -> Void
  ) async throws(EngineError) -> NewCredentials {
    var request = try await KnownClient(context).completed(request)
    let server = try await Discovery(context).server(of: request, using: [.deviceAuthorization])
    let offered = request.completeScope(at: server, redacting: context.world.held.redactor)
    if !offered.isEmpty { report(.notices(offered)) }
    guard let endpoint = server.deviceEndpoint else { throw .server(.oauth(.unsupported(.deviceCode), server.origin)) }
    let serverClient = try ServerClient(request, at: server)
    let key = try await server.newKey(request, context)
    let asked = RequestRefusal.Asked(serverClient, request.scope, request.resources)
    let flow: DeviceFlow
    do throws(EngineError) {
      flow = try await start(request, at: endpoint, of: server, by: serverClient)
    } catch { throw error.refusing(asked) }
    let resource = request.resources.first
    let polling = Task { await poll(flow, serverClient, server, key, for: resource) }
    // Watched before anything is shown to the user: Ctrl-C may be the reaction to it.
    let watch = context.world.signals.watch { polling.cancel() }
    defer { watch.release() }
    report(.device(flow))
    report(.waiting(.device, seconds: flow.secondsLeft(at: context.world.clock.now())))
    let keys = Task { () -> Void? in await context.passKeys(to: report) }
    let outcome = await polling.value
    keys.cancel()
    // By then the terminal is as it was.
    _ = await keys.value
    report(.ended)
    let response = try outcome.mapError { $0.refusing(asked) }.get()
    let identify = IdentifyUser(context, server, serverClient, request)
    let idToken = try identify.checked(response, nonce: nil)
    let credentials = NewCredentials(
      response,
      idToken,
      key: key,
      from: server,
      serverClient,
      request,
      now: context.world.clock.now()
    )
    return try await identify.identified(credentials, idToken)
  }

  private func start(
    _ request: SignIn.Request,
    at endpoint: HTTPURL,
    of server: AuthorizationServer,
    by serverClient: ServerClient
  ) async throws(EngineError) -> DeviceFlow {
    var form = FormBody()
    form.add("client_id", request.clientID)
    form.add("scope", request.scope)
    for resource in request.resources { form.add("resource", resource.description) }
    form.add(request.authorizationParameters)
    let response = try await client.send(form, to: endpoint, of: server, by: serverClient)
    let origin = endpoint.origin
    let answer = ServerAnswer(response, redacting: context.world.held.redactor)
    guard !answer.isError, let grant = answer.grant else { throw EngineError(answer.noAnswer, origin) }
    do {
      let flow = try DeviceFlow(grant, receivedAt: context.world.clock.now())
      client.tell(of: flow.blemishes, in: origin)
      return flow
    } catch {
      throw .server(.oauth(error, origin))
    }
  }

  private func poll(
    _ flow: DeviceFlow,
    _ serverClient: ServerClient,
    _ server: AuthorizationServer,
    _ key: DPoPKey?,
    for resource: ResourceIndicator?
  ) async -> Result<TokenResponse, EngineError> {
    var flow = flow
    let endpoint = TokenEndpoint(of: server, by: serverClient, client)
    let origin = server.tokenEndpoint.origin
    while await context.world.clock.sleep(flow.interval) {
      let step: DeviceFlow.Step
      do throws(EngineError) {
        let question = GrantForm(flow.question(clientID: serverClient.formID, resource: resource))
        let answer = try await endpoint.ask(question, key: key)
        answer.learn()
        step = flow.take(answer.outcome, at: context.world.clock.now())
      } catch .network(.http(let failure, _)) where failure != .cancelled {
        // A missing answer is no rejection: polling continues for the lifetime of the code (section 3.5).
        guard !flow.isOver(at: context.world.clock.now()) else { return .failure(.network(.http(failure, origin))) }
        continue
      } catch {
        return .failure(error)
      }
      switch step {
      case .wait: continue
      case .granted(let response): return .success(response)
      case .denied(let code, let description): return .failure(.signIn(.refused(code: code, description: description)))
      case .expired: return .failure(.signIn(.deviceCodeExpired))
      case .failed(let error): return .failure(.server(.oauth(error, origin)))
      }
    }
    return .failure(.cancelled)
  }
}
