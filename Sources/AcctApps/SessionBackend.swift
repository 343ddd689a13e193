import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Release
import Secrets

/// A client of a backend-for-frontend; the sealed session is sent only to its origin.
struct SessionBackend: Sendable {
  let origin: Origin
  private let context: EngineContext

  private static let sessionPath = "/api/auth/session"
  private static let refreshPath = "/mobile/refresh-token"
  /// The paths of the calls whose answers name the session's owner.
  static let paths = [sessionPath, refreshPath]

  /// Returns `true` if a request asks for a new session in place of the one that it carries.
  static func extends(_ method: String, _ url: HTTPURL) -> Bool { method == "GET" && url.path == refreshPath }

  init(_ origin: Origin, _ context: EngineContext) {
    self.origin = origin
    self.context = context
  }

  /// The backend of an account, which alone gets its session; `nil` for an account without one.
  init?(of account: Account, _ context: EngineContext) {
    guard let service = account.service else { return nil }
    self.init(service, context)
  }

  /// A backend's answer about a session, and the new session in it, if there is one.
  typealias Reply<Answer> = (answer: Answer, rotated: RotatedCookie?)

  /// Asks whether a session is still valid.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - mayBeSent: See ``HTTPRequest/mayBeSent``.
  /// - Returns: The backend's answer.
  /// - Throws: ``NetworkError/http(_:_:)`` if there is no answer.
  func validate(
    _ session: Token,
    mayBeSent: (@Sendable () -> Bool)? = nil
  ) async throws(EngineError) -> Reply<SessionAnswer> {
    let (answer, rotated) = try await ask(Self.sessionPath, session, mayBeSent)
    return (SessionAnswer(answer), rotated)
  }

  /// Requests a new session in place of this one.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - mayBeSent: See ``HTTPRequest/mayBeSent``.
  /// - Returns: The backend's answer.
  /// - Throws: ``NetworkError/http(_:_:)`` if there is no answer.
  func refresh(
    _ session: Token,
    mayBeSent: (@Sendable () -> Bool)? = nil
  ) async throws(EngineError) -> Reply<SessionRefreshAnswer> {
    let (answer, rotated) = try await ask(Self.refreshPath, session, mayBeSent)
    return (SessionRefreshAnswer(answer), rotated)
  }

  private func ask(
    _ path: String,
    _ session: Token,
    _ mayBeSent: (@Sendable () -> Bool)?
  ) async throws(EngineError) -> Reply<ServerAnswer> {
    let response = try await send("GET", path, session, mayBeSent: mayBeSent)
    let answer = ServerAnswer(response, redacting: context.world.held.redactor)
    let rotated: RotatedCookie?
    do {
      rotated = try RotatedCookie(
        in: response.fields,
        status: response.status,
        naming: answer,
        at: context.world.clock.now()
      )
    } catch {
      // Its owner can't be known; the answer itself is malformed, too, and reported as such.
      rotated = nil
    }
    return (answer, rotated)
  }

  /// Ends a session; returns the status of the answer.
  ///
  /// - Throws: ``NetworkError/http(_:_:)`` if there is no answer.
  func logOut(_ session: Token) async throws(EngineError) -> Int {
    try await send("POST", "/api/auth/logout", session).status
  }

  /// Starts a sign-in.
  ///
  /// - Returns: The address for the browser.
  /// - Throws: ``EngineError``: no answer, or not the expected one.
  func start(_ handle: Handle, challenge: String) async throws(EngineError) -> HTTPURL {
    let body = MobileStart.body(handle: handle, challenge: challenge)
    let response = try await send("POST", "/api/auth/mobile-start", nil, body)
    switch MobileStart(ServerAnswer(response, redacting: context.world.held.redactor)) {
    case .started(let address):
      try Naming.user.document(at: origin).checkedReach(to: address.origin)
      return address
    case .refused(let reason): throw .signIn(.refused(code: reason, description: nil))
    case .unanswered(let noAnswer): throw EngineError(noAnswer, origin)
    }
  }

  /// The page that asks for the handle and starts the sign-in itself.
  func page() throws(EngineError) -> HTTPURL { try origin.url("/mobile-auth") }

  private func send(
    _ method: String,
    _ path: String,
    _ session: Token?,
    _ body: [UInt8]? = nil,
    mayBeSent: (@Sendable () -> Bool)? = nil
  ) async throws(EngineError) -> HTTPResponse {
    let url = try origin.url(path)
    var released: Released?
    if let session {
      do { released = try Permit(sessionBackTo: url).release(session) } catch { throw .authorization(error) }
    }
    let type = body.map { _ in [("Content-Type", "application/json")] } ?? []
    let request = HTTPRequest(
      method: method,
      url: url,
      fields: [("Accept", "application/json")] + type,
      body: body,
      releasing: released,
      timeout: context.timeout,
      mayBeSent: mayBeSent
    )
    do { return try await context.world.transport.send(request) } catch { throw .network(.http(error, origin)) }
  }
}
