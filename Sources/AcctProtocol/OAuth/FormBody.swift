package import AcctModel
package import Release
package import Secrets
import Text

/// Parameters as `application/x-www-form-urlencoded`, every byte outside the unreserved set
/// percent-encoded (RFC 6749, appendix B).
package struct FormBody: Sendable {
  private var bytes: [UInt8] = []
  private var hasScope = false

  package init() {}

  /// The media type to send it with.
  package static let mediaType = "application/x-www-form-urlencoded"

  /// Adds a parameter that is no secret; `nil` adds nothing.
  package mutating func add(_ name: String, _ value: String?) {
    guard let value else { return }
    add(name, Secret(value))
  }

  /// Adds parameters of the user's; a scope only if the form has none of acct's.
  package mutating func add(_ parameters: [RequestParameter]) {
    for parameter in parameters where parameter.name != "scope" || !hasScope { add(parameter.name, parameter.value) }
  }

  /// A text as it stands in a form.
  package static func encoded(_ text: Secret) -> Secret {
    var form = FormBody()
    form.encode(text)
    return Secret(consuming: &form.bytes)
  }

  /// Adds a parameter.
  package mutating func add(_ name: String, _ value: Secret) {
    if name == "scope" { hasScope = true }
    if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
    encode(Secret(name))
    bytes.append(UInt8(ascii: "="))
    encode(value)
  }

  /// Adds a token, which goes where the whole form is released to.
  package mutating func addToken(_ name: String, _ token: Token) { add(name, token.opened(for: .form)) }

  /// Adds a refresh token; see ``addToken(_:_:)``.
  mutating func addToken(_ name: String, _ token: RefreshToken) { add(name, token.opened(for: .form)) }

  private mutating func encode(_ text: Secret) {
    text.withBytes { span in
      for index in span.indices {
        let byte = span[index]
        if byte.isUnreserved { bytes.append(byte) } else { bytes.append(percentEncoding: byte) }
      }
    }
  }

  /// The body, wiped when it is done with.
  package func secret() -> Secret { Secret(bytes) }

  /// The form as text, for the query of a URL that a browser opens.
  package var openedText: String { String(decoding: bytes, as: UTF8.self) }
}

/// The forms that renew, revoke and introspect (RFC 6749, section 6; RFC 7009; RFC 7662).
package enum RefreshRequest {
  /// Asks for new tokens.
  ///
  /// - Parameters:
  ///   - refreshToken: Often good for one use alone.
  ///   - clientID: The very same string as at sign-in; another one ends the session.
  ///   - resource: The resource that the token is for, one of those of the sign-in (RFC 8707, section 2.2).
  /// - Returns: The form.
  package static func form(_ refreshToken: RefreshToken, clientID: String?, resource: ResourceIndicator?) -> FormBody {
    var form = FormBody()
    form.add("grant_type", "refresh_token")
    form.addToken("refresh_token", refreshToken)
    form.add("client_id", clientID)
    form.add("resource", resource?.description)
    return form
  }

  /// Asks to end the session (RFC 7009, section 2.1).
  ///
  /// - Parameter refreshToken: The session.
  /// - Returns: The form, without the client.
  package static func revocation(of refreshToken: RefreshToken) -> FormBody {
    var form = FormBody()
    form.addToken("token", refreshToken)
    form.add("token_type_hint", "refresh_token")
    return form
  }

  /// Asks to end an access token; see ``revocation(of:)-(RefreshToken)``.
  package static func revocation(of token: Token) -> FormBody {
    var form = FormBody()
    form.addToken("token", token)
    form.add("token_type_hint", "access_token")
    return form
  }

  /// Asks whether a token is active (RFC 7662, section 2.1): with the parameters of a revocation, and the client.
  package static func introspection(of token: Token, clientID: String?) -> FormBody {
    var form = revocation(of: token)
    form.add("client_id", clientID)
    return form
  }

  /// Asks whether a refresh token is active; see ``introspection(of:clientID:)-(Token,_)``.
  package static func introspection(of refreshToken: RefreshToken, clientID: String?) -> FormBody {
    var form = revocation(of: refreshToken)
    form.add("client_id", clientID)
    return form
  }
}
