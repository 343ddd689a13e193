import AcctModel
import AcctPorts
import AcctProtocol
import Synchronization

/// The audience of a client's assertions that a server accepts, as far as its responses have shown.
///
/// A command sends requests to several endpoints of a server: an audience that the first has accepted is used at the
/// next.
final class KnownAudience: Sendable {
  private let known: Mutex<AssertionAudience>

  /// - Parameter audience: The audience to begin with.
  init(_ audience: AssertionAudience) { known = Mutex(audience) }

  /// The audience of the next assertion.
  var current: AssertionAudience { known.withLock { $0 } }

  /// Notes that a server has accepted an assertion for this audience.
  func learn(_ audience: AssertionAudience) { known.withLock { $0 = audience } }
}

extension ServerClient {
  /// The audience for a second attempt at an endpoint that has rejected the client; `nil` if there is none.
  ///
  /// An assertion for the token endpoint goes only to that endpoint's own origin: a server that names another's as its
  /// own gets none that the other would accept (draft-ietf-oauth-rfc7523bis, section 1).
  ///
  /// - Parameters:
  ///   - answer: The endpoint's answer to the first attempt.
  ///   - audience: The audience of the first attempt.
  ///   - endpoint: The endpoint.
  ///   - server: The server of the endpoint.
  /// - Returns: The other audience; `nil` if it is of no use, or must not be disclosed to the endpoint.
  func nextAudience(
    after answer: ServerAnswer,
    to audience: AssertionAudience,
    at endpoint: HTTPURL,
    of server: AuthorizationServer
  ) -> AssertionAudience? {
    guard answer.errorCode == "invalid_client", server.issuer != nil,
      audience.other == .issuer || endpoint.origin == server.tokenEndpoint.origin
    else { return nil }
    return audience.other
  }
}

extension ServerAnswer {
  /// `true` if the server has authenticated the client: it granted something, or rejected another part of the request.
  var hasTakenClient: Bool {
    switch errorCode {
    case nil: (200..<300).contains(status)
    case "invalid_client"?: false
    default: (200..<500).contains(status)
    }
  }
}

extension AuthorizationServer {
  /// The server's name in an assertion; a server that is known only by its endpoints has no other than the address of
  /// its token endpoint.
  func name(for audience: AssertionAudience) -> String {
    switch audience {
    case .issuer: issuer?.description ?? tokenEndpoint.description
    case .tokenEndpoint: tokenEndpoint.description
    }
  }
}
