import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Release
import Secrets
import StrictJSON

/// Signs in at a backend of an app, which hands over its tokens together with their DPoP key.
///
/// From then on the backend is not needed: acct renews at the authorization server itself.
struct BackendSignIn: Sendable {
  private let context: EngineContext
  private let client: DPoPClient

  init(_ context: EngineContext) {
    self.context = context
    client = context.client
  }

  /// The user's request.
  struct Request: Sendable {
    let backend: BackendURL
    /// The identity to sign in; `nil` leaves that to the backend's own page.
    let person: BackendPerson?
    /// Used if the backend does not name it.
    let clientID: String?
    let route: CallbackRoute

    /// Parses a request as it was typed, or kept.
    init(_ backend: String, for person: String?, clientID: String?, _ route: CallbackRoute) throws(ParseError) {
      self.backend = try BackendURL(backend)
      self.person = try person.map { text throws(ParseError) in try BackendPerson(text) }
      self.clientID = clientID
      self.route = route
    }

    /// The sign-in that it asks for; see ``AppSignIn/init(_:namesPerson:to:signIn:)``.
    func signIn(to account: Account? = nil) -> AppSignIn {
      let settings = route.settings(at: backend.text, for: person?.description)
      return AppSignIn(settings, namesPerson: person != nil, to: account) {
        (context, report) async throws(EngineError) in
        try await BackendSignIn(context).signIn(self, report: report)
      }
    }
  }

  /// Signs in.
  ///
  /// - Parameters:
  ///   - request: The user's request.
  ///   - report: Takes the prompts to show while it waits.
  /// - Returns: Credentials of the requested identity, which are not stored yet.
  /// - Throws: ``EngineError``; nothing is left behind.
  func signIn(
    _ request: Request,
    report: @escaping @Sendable (SignInPrompt) -> Void
  ) async throws(EngineError) -> NewCredentials {
    let call = BackendCall(request.backend, client)
    let code = try await BackendCallback(context).receive(
      request.route,
      requiring: ["code"],
      report: report,
      start: { () async throws(EngineError) -> HTTPURL in
        let person = request.person.map { ["handle": JSON.string($0.description)] as JSON }
        return try address(in: try await call.post("/api/auth/start", person ?? [:]), request.backend)
      },
      accept: { parameters throws(CallbackFlaw) in
        guard let code = parameters["code"] else { throw .incomplete(missing: "code") }
        return Secret(code)
      }
    )
    let answer = try await call.post("/api/auth/tokens", ["code": .string(code.shownText)])
    let handoff = try handoff(answer, request)
    try await requireWanted(handoff, request, report: report)
    return try credentials(handoff, request)
  }

  /// Checks that the requested identity has signed in.
  ///
  /// - Throws: ``BackendError/otherPerson(asked:found:_:)``, after the session of another one was revoked.
  private func requireWanted(
    _ handoff: Handoff,
    _ request: Request,
    report: @escaping @Sendable (SignInPrompt) -> Void
  ) async throws(EngineError) {
    guard let person = request.person, !person.isNamed(by: handoff) else { return }
    let found = [handoff.handle?.description, handoff.did?.description].compactMap(\.self)
    // Without a handle beside a DID it may be the requested identity's session after all.
    if case .handle = person, handoff.handle == nil {
      throw .backend(.otherPerson(asked: person.description, found: nil, request.backend.origin))
    }
    await UnwantedSession(context).revoke(try credentials(handoff, request), of: found.first ?? "", report: report)
    throw .backend(
      .otherPerson(asked: person.description, found: found.joined(separator: ", "), request.backend.origin)
    )
  }

  private func address(in answer: JSON, _ backend: BackendURL) throws(EngineError) -> HTTPURL {
    guard let text = answer.objectValue?["authUrl"]?.stringValue else {
      throw .backend(.malformedAnswer(member: "authUrl", backend.origin))
    }
    let address: HTTPURL
    do { address = try HTTPURL(text) } catch .refusedURL(let refusal) {
      throw .backend(.handoff(.refused(member: "authUrl", refusal), backend.origin))
    } catch {
      throw .backend(.malformedAnswer(member: "authUrl", backend.origin))
    }
    // The browser resolves the name: only the written host can be checked here.
    try Naming.user.document(at: backend.origin).checkedReach(to: address.origin)
    return address
  }

  /// The credentials in the answer, if it is about one identity.
  private func handoff(_ answer: JSON, _ request: Request) throws(EngineError) -> Handoff {
    let origin = request.backend.origin
    let handoff: Handoff
    do { handoff = try Handoff(answer, receivedAt: context.world.clock.now()) } catch {
      throw .backend(.handoff(error, origin))
    }
    guard let did = handoff.did else { throw .backend(.handoff(.missing(member: "did"), origin)) }
    // A resource server relies on the token's own claim.
    if let subject = handoff.tokenSubject, subject.hasPrefix("did:"), subject != did.description {
      throw .backend(.otherPerson(asked: did.description, found: nil, origin))
    }
    return handoff
  }

  private func credentials(_ handoff: Handoff, _ request: Request) throws(EngineError) -> NewCredentials {
    var credentials = NewCredentials(
      handoff,
      from: .backend(request.backend.origin),
      redacting: context.world.held.redactor
    )
    // A backend's statement of the issuer does not replace that of the DID's own document.
    credentials.issuerSource = .did
    let metadata: HTTPURL
    do { metadata = try request.backend.url("/client-metadata.json") } catch { throw .input(.malformed(error)) }
    let clientID = credentials.identity.clientID ?? request.clientID ?? metadata.description
    credentials.identity.clientID = clientID
    // A remote backend must not make this machine one of the account's own servers.
    let naming = Naming.user.document(at: request.backend.origin)
    for origin in credentials.origins { try naming.checkedReach(to: origin) }
    if let service = credentials.service { try naming.checkedReach(to: service) }
    return credentials
  }
}

/// Calls an app's backend with JSON, and returns its JSON.
struct BackendCall: Sendable {
  private let client: DPoPClient
  private let backend: BackendURL

  init(_ backend: BackendURL, _ client: DPoPClient) {
    self.backend = backend
    self.client = client
  }

  /// Posts once; nothing is retried, since a code is valid for one use.
  ///
  /// - Parameters:
  ///   - path: Such as `/api/auth/start`.
  ///   - json: The body.
  /// - Returns: The response, if it is successful.
  /// - Throws: ``NetworkError/http(_:_:)`` if there is none, ``EngineError/backend(_:)`` for a rejection, and other
  ///   cases of ``EngineError`` for a malformed response.
  func post(_ path: String, _ json: JSON) async throws(EngineError) -> JSON {
    let url: HTTPURL
    do { url = try backend.url(path) } catch { throw .input(.malformed(error)) }
    var body = json.serialized()
    let response = try await client.send(
      HTTPRequest(
        method: "POST",
        url: url,
        fields: [("Content-Type", "application/json"), ("Accept", "application/json")],
        releasing: Permit(backTo: url).release(body: Secret(consuming: &body)),
        timeout: client.timeout
      )
    )
    return try answer(response)
  }

  private func answer(_ response: HTTPResponse) throws(EngineError) -> JSON {
    switch response.status {
    case 300..<400, 429, 500...: throw .noAnswer(response, backend.origin, client.held)
    default: break
    }
    let answer = ServerAnswer(response, redacting: client.held.redactor)
    if let grant = answer.grant {
      client.tell(of: grant.blemishes, in: backend.origin)
      return grant.json
    }
    guard !answer.isSuccess, answer.hasMembers else {
      throw .server(.oauth(.notJSON(status: response.status), backend.origin))
    }
    throw .backend(.refused(status: response.status, reason: answer.errorCode, backend.origin))
  }
}

/// The identity that a backend is asked to sign in.
enum BackendPerson: Equatable, Sendable {
  case handle(Handle)
  case did(DID)

  /// Parses the typed identifier.
  ///
  /// - Parameter text: A handle, with or without `@`, or a DID.
  /// - Throws: ``ParseError``.
  init(_ text: String) throws(ParseError) {
    if text.hasPrefix("did:") {
      self = .did(try DID(text))
    } else {
      self = .handle(try Handle(text.hasPrefix("@") ? String(text.dropFirst()) : text))
    }
  }

  /// `true` if an answer names this person.
  func isNamed(by handoff: Handoff) -> Bool {
    switch self {
    case .handle(let handle): handoff.handle == handle
    case .did(let did): handoff.did == did
    }
  }
}

extension BackendPerson: CustomStringConvertible {
  var description: String {
    switch self {
    case .handle(let handle): handle.description
    case .did(let did): did.description
    }
  }
}

/// The address of an app's backend: its origin, and the path below which its calls are.
struct BackendURL: Equatable, Sendable {
  private let base: HTTPURL

  /// Parses the URL that the user named.
  ///
  /// - Parameter text: `https://host`, with a path if the backend has one.
  /// - Throws: ``ParseError`` for a text that is not a server's URL, or has a query.
  init(_ text: String) throws(ParseError) {
    let url = try HTTPURL(text)
    guard url.query == nil, !text.contains("#") else { throw .url }
    base = url
  }

  var origin: Origin { base.origin }

  /// The text that is read as this URL.
  var text: String { base.description }

  /// The address of a call.
  ///
  /// - Parameter path: Such as `/api/auth/start`.
  /// - Returns: The address below this one.
  /// - Throws: ``ParseError`` if `path` is no path.
  func url(_ path: String) throws(ParseError) -> HTTPURL {
    let prefix = base.path.hasSuffix("/") ? base.path.dropLast() : base.path[...]
    return try HTTPURL("\(base.origin)\(prefix)\(path)")
  }
}
