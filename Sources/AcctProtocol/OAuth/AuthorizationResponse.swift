import AcctModel
import AcctCrypto
package import Secrets

/// The meaning of a callback.
package enum AuthorizationResponse: Sendable {
  /// The code that was waited for.
  case code(Secret)
  /// The server refused, in its own words (RFC 6749, section 4.1.2.1).
  case refused(code: String, description: String?)
  /// It does not belong to this request: the right one may still come. An error without a `state` may be about this
  /// request or not; it is for the user to read.
  case foreign(Unproven?)
  /// It is the answer to this request and can't be trusted.
  case untrusted(Distrust)

  /// An error that does not prove to be an answer to the request: any page could have sent the browser with it.
  package struct Unproven: Hashable, Sendable {
    package let code: String
    package let description: String?
  }

  /// Why an answer can't be trusted.
  package enum Distrust: Equatable, Sendable {
    /// No `iss`, although the server always sends one (RFC 9207).
    case issuerMissing
    /// Another server's answer: a mix-up attack, or two servers behind one address.
    case issuerMismatch
    /// Neither a code nor an error.
    case empty
  }

  /// The parameters that decide about an answer, and so are in it once (RFC 6749, section 3.1; RFC 9207).
  private static let deciding: Set<String> = ["state", "code", "iss", "error"]

  /// Reads the query of a callback.
  ///
  /// - Parameters:
  ///   - query: Without its `?`.
  ///   - request: The request; its `state` is compared in constant time.
  ///   - server: The server that must have answered.
  ///   - redactor: Takes secrets out of the server's words.
  package init(
    _ query: String,
    to request: AuthorizationRequest,
    from server: AuthorizationServer,
    redacting redactor: Redactor
  ) {
    let parameters = try? QueryParameters(query) { !Self.deciding.contains($0) }
    guard let parameters, let state = parameters["state"],
      ConstantTime.equal(Array(state.utf8).span, Array(request.state.utf8).span)
    else {
      func shown(_ text: String) -> String { redactor.redact(String(text.prefix(200))) }
      let error = parameters?["state"] == nil ? parameters?["error"] : nil
      let description = parameters?["error_description"].map(shown)
      self = .foreign(error.map { Unproven(code: shown($0), description: description) })
      return
    }
    if let issuer = parameters["iss"] {
      // If the user named the endpoints, no issuer is known to compare it with.
      guard server.issuer == nil || issuer == server.issuer?.description else {
        self = .untrusted(.issuerMismatch)
        return
      }
    } else if server.sendsIssuer {
      self = .untrusted(.issuerMissing)
      return
    }
    if let error = parameters["error"] {
      let description = parameters["error_description"].map(redactor.redact)
      self = .refused(code: redactor.redact(error), description: description)
    } else if let code = parameters["code"] {
      self = .code(Secret(code))
    } else {
      self = .untrusted(.empty)
    }
  }
}
