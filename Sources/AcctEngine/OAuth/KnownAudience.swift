import AcctModel
import AcctPorts
import AcctProtocol
import Synchronization

/// The audience that a server takes assertions of a client for, as far as its answers have told.
///
/// One command asks several endpoints of a server: what the first of them has taken is not tried again at the next.
final class KnownAudience: Sendable {
  private let known: Mutex<AssertionAudience>

  /// - Parameter audience: What to begin with.
  init(_ audience: AssertionAudience) { known = Mutex(audience) }

  /// The audience of the next assertion.
  var current: AssertionAudience { known.withLock { $0 } }

  /// Notes that a server has taken an assertion for this audience.
  func learn(_ audience: AssertionAudience) { known.withLock { $0 = audience } }
}

extension ServerClient {
  /// The audience to ask an endpoint with once more, after it has refused the client; `nil` where there is none.
  ///
  /// An assertion for the token endpoint goes to that endpoint's own origin alone: a server that names another's as its
  /// own gets none that the other takes (draft-ietf-oauth-rfc7523bis, section 1).
  ///
  /// - Parameters:
  ///   - answer: The endpoint's answer to the first try.
  ///   - audience: The audience of the first try.
  ///   - endpoint: What was asked.
  ///   - server: Whose endpoint it is.
  /// - Returns: The other audience; `nil` where it is of no use, or must not be told to the endpoint.
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
  /// `true` if the server has found the client to be the one that it says it is: it granted something, or rejected
  /// another part of the request.
  var hasTakenClient: Bool {
    switch errorCode {
    case nil: (200..<300).contains(status)
    case "invalid_client"?: false
    default: (200..<500).contains(status)
    }
  }
}

extension AuthorizationServer {
  /// The server's name in an assertion; a server that is known by its endpoints alone has no other than the address of
  /// its token endpoint.
  func name(for audience: AssertionAudience) -> String {
    switch audience {
    case .issuer: issuer?.description ?? tokenEndpoint.description
    case .tokenEndpoint: tokenEndpoint.description
    }
  }
}
