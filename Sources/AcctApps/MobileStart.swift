package import AcctModel
package import AcctProtocol
import Secrets
import StrictJSON

/// The start of a sign-in at a backend-for-frontend: `POST /api/auth/mobile-start`.
package enum MobileStart: Sendable {
  /// The address that the browser opens.
  case started(HTTPURL)
  /// The backend refused, in its own words.
  case refused(reason: String)
  /// Any other answer.
  case unanswered(NoAnswer)

  /// The request's body.
  ///
  /// - Parameters:
  ///   - handle: The handle of the user who signs in.
  ///   - challenge: PKCE's, with S256.
  /// - Returns: JSON.
  package static func body(handle: Handle, challenge: String) -> [UInt8] {
    let json: JSON = ["handle": .string(handle.description), "code_challenge": .string(challenge)]
    return json.serialized()
  }

  /// Classifies an answer.
  package init(_ answer: ServerAnswer) {
    switch (answer.status, answer.errorCode) {
    case (200, _) where answer.object != nil:
      do { self = try Self.start(answer) } catch { self = .unanswered(.failed(error)) }
    case (400..<500, let reason?) where answer.status != 429: self = .refused(reason: reason)
    default: self = .unanswered(answer.noAnswer)
    }
  }

  private static func start(_ answer: ServerAnswer) throws(OAuthError) -> MobileStart {
    if answer.object?["success"] == .bool(false) {
      return .refused(reason: answer.errorCode ?? "the backend did not say why")
    }
    guard answer.object?["success"] == .bool(true) else { throw .malformedAnswer(member: "success") }
    guard let address = try answer.object?.parsed("authUrl", HTTPURL.init) else {
      throw .malformedAnswer(member: "authUrl")
    }
    return .started(address)
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
