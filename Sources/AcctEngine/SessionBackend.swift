import AcctModel
import AcctPorts
import AcctProtocol

/// A backend-for-frontend, as its clients see it; the sealed session goes to its origin alone.
struct SessionBackend: Sendable {
  let origin: Origin
  private let world: World
  private let timeout: Int

  init(_ origin: Origin, _ world: World, timeout: Int) {
    self.origin = origin
    self.world = world
    self.timeout = timeout
  }

  /// Asks whether a session goes on.
  ///
  /// - Returns: The backend's word, and the session that it put in this one's place, if it did.
  /// - Throws: ``EngineError/http(_:_:)`` where there is no answer.
  func validate(
    _ session: Token
  ) async throws(EngineError) -> (answer: SessionAnswer, rolled: SealedSession?) {
    let response = try await send("GET", "/api/auth/session", session)
    let answer = SessionAnswer(
      status: response.status,
      contentType: response.field("Content-Type"),
      retryAfter: response.field("Retry-After"),
      location: response.field("Location"),
      body: response.body
    )
    return (answer, RolledCookie.session(in: response.fields, at: world.clock.now()))
  }

  /// Asks for a session in place of this one.
  ///
  /// - Throws: ``EngineError/http(_:_:)`` where there is no answer.
  func refresh(_ session: Token) async throws(EngineError) -> SessionRefreshAnswer {
    let response = try await send("GET", "/mobile/refresh-token", session)
    return SessionRefreshAnswer(
      status: response.status,
      contentType: response.field("Content-Type"),
      retryAfter: response.field("Retry-After"),
      location: response.field("Location"),
      body: response.body
    )
  }

  /// Ends a session; returns the status of the answer.
  ///
  /// - Throws: ``EngineError/http(_:_:)`` where there is no answer.
  func logOut(_ session: Token) async throws(EngineError) -> Int {
    try await send("POST", "/api/auth/logout", session).status
  }

  /// Starts a sign-in.
  ///
  /// - Returns: Where the browser goes.
  /// - Throws: ``EngineError``: no answer, or not the one that was wanted.
  func start(_ handle: Handle, challenge: String) async throws(EngineError) -> HTTPURL {
    let body = MobileStart.body(handle: handle, challenge: challenge)
    let response = try await send("POST", "/api/auth/mobile-start", nil, body)
    let answer = MobileStart(
      status: response.status,
      contentType: response.field("Content-Type"),
      retryAfter: response.field("Retry-After"),
      location: response.field("Location"),
      body: response.body
    )
    switch answer {
    case .started(let address): return address
    case .refused(let reason): throw .authorizationRefused(code: reason, description: nil)
    case .limited(let retryAfter): throw .rateLimited(retryAfter: retryAfter, origin)
    case .serverFailed(let status, let retryAfter):
      throw .serverFailed(status: status, retryAfter: retryAfter, origin)
    case .failed(let error): throw .oauth(error, origin)
    }
  }

  /// The page that asks for the handle and does the start itself.
  func page() throws(EngineError) -> HTTPURL { try url("/mobile-auth") }

  private func url(_ path: String) throws(EngineError) -> HTTPURL {
    do { return try HTTPURL("\(origin)\(path)") } catch { throw .malformed(error) }
  }

  private func send(
    _ method: String,
    _ path: String,
    _ session: Token?,
    _ body: Secret? = nil
  ) async throws(EngineError) -> HTTPResponse {
    var request = HTTPRequest(
      method: method,
      url: try url(path),
      fields: [("Accept", Secret("application/json"))],
      body: body,
      timeout: timeout
    )
    if let session {
      let cookie = HeaderField.sessionCookie(session)
      request.fields.append((cookie.name, cookie.value))
    }
    if body != nil { request.fields.append(("Content-Type", Secret("application/json"))) }
    do { return try await world.transport.send(request) } catch { throw .http(error, origin) }
  }
}
