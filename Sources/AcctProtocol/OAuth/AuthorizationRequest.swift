import AcctCrypto
package import AcctModel
package import Secrets
import Text

/// A request for an authorization code (RFC 6749, section 4.1.1), with PKCE and a `state`.
package struct AuthorizationRequest: Sendable {
  package let clientID: String
  package let redirectURI: String
  package let scope: String?
  /// RFC 8707, one for each resource server.
  package let resources: [ResourceIndicator]
  package let loginHint: String?
  /// More parameters, of the user's; they replace those that are optional.
  package let more: [RequestParameter]
  /// Binds the code to the key (RFC 9449, section 10).
  package let thumbprint: String?
  package let state: String
  /// The value that the ID token must repeat (OpenID Connect Core 1.0, section 3.1.2.1); `nil` where none is
  /// requested.
  ///
  /// Optional in this flow, and yet there are servers that refuse a request without.
  package let nonce: String?
  package let pkce: PKCE

  package init(
    clientID: String,
    redirectURI: String,
    scope: String?,
    resources: [ResourceIndicator] = [],
    loginHint: String? = nil,
    more: [RequestParameter] = [],
    thumbprint: String?,
    random: [UInt8]
  ) {
    self.clientID = clientID
    self.redirectURI = redirectURI
    self.scope = scope
    self.resources = resources
    self.loginHint = loginHint
    self.more = more
    self.thumbprint = thumbprint
    // One draw of randomness serves all: no third of it tells anything of the others.
    let third = random.count / 3
    state = Base64URL.encode(Array(random[..<third]).span)
    nonce =
      Scope.words(scope).contains("openid")
      ? Base64URL.encode(Array(random[third..<(2 * third)]).span) : nil
    pkce = PKCE(random: Array(random[(2 * third)...]))
  }

  /// The number of random bytes that a request needs: 32 each for `state`, `nonce` and the verifier.
  package static let randomCount = 96

  /// The parameters, for a pushed request (RFC 9126) or a query.
  package var parameters: FormBody {
    var form = FormBody()
    form.add("response_type", "code")
    form.add("client_id", clientID)
    form.add("redirect_uri", redirectURI)
    form.add("scope", scope)
    for resource in resources { form.add("resource", resource.description) }
    form.add("state", state)
    form.add("nonce", nonce)
    form.add("code_challenge", pkce.challenge)
    form.add("code_challenge_method", "S256")
    form.add("dpop_jkt", thumbprint)
    if !names("login_hint") { form.add("login_hint", loginHint) }
    // OpenID servers drop `offline_access` in silence without it (OpenID Connect Core 1.0, section 11).
    if Scope.words(scope).contains("offline_access"), !names("prompt") { form.add("prompt", "consent") }
    form.add(more)
    return form
  }

  private func names(_ name: String) -> Bool { more.contains { $0.name == name } }

  /// The address that the browser opens.
  ///
  /// - Parameters:
  ///   - endpoint: The authorization endpoint; it may have a query of its own.
  ///   - pushed: The `request_uri` of a pushed request, which then says everything.
  /// - Returns: The address to open.
  package func browserAddress(at endpoint: HTTPURL, pushed: String?) -> String {
    var form = parameters
    if let pushed {
      form = FormBody()
      form.add("client_id", clientID)
      form.add("request_uri", pushed)
    }
    return "\(endpoint)\(endpoint.query == nil ? "?" : "&")\(form.openedText)"
  }

  /// The form that exchanges the code for tokens (RFC 6749, section 4.1.3).
  ///
  /// It names the first resource alone: servers that bind a token to one resource reject two with `invalid_target`, and
  /// the code is spent by then. The refresh token brings tokens for the others (RFC 8707, section 2.2).
  ///
  /// - Parameters:
  ///   - code: The code from the callback.
  ///   - clientID: `nil` for a client that authenticates itself in a field of its own.
  /// - Returns: The form.
  package func exchange(_ code: Secret, clientID: String?) -> FormBody {
    var form = FormBody()
    form.add("grant_type", "authorization_code")
    form.add("code", code)
    form.add("redirect_uri", redirectURI)
    form.add("client_id", clientID)
    form.add("code_verifier", pkce.verifier)
    form.add("resource", resources.first?.description)
    return form
  }
}

/// Proof Key for Code Exchange with S256 (RFC 7636), the only method that is ever used.
package struct PKCE: Sendable {
  /// 43 characters from 32 random bytes (section 4.1).
  package let verifier: Secret
  /// `BASE64URL(SHA256(verifier))` (section 4.2).
  package let challenge: String

  /// Makes a verifier from 32 or more random bytes.
  package init(random bytes: [UInt8]) {
    let text = Base64URL.encode(bytes.span)
    verifier = Secret(text)
    challenge = Base64URL.encode(SHA256.hash(Array(text.utf8).span).span)
  }
}

extension LoopbackRedirect {
  /// The address that a server registers for acct, whose path no other server's client has (RFC 9700, section 4.4.2).
  ///
  /// It is not below the common path, since some servers accept any address below a registered one.
  ///
  /// - Parameter server: The server's issuer, or the origin of its registration endpoint.
  /// - Returns: 16 characters of the digest of `server` as a folder of the common path, on a free port.
  package static func registered(at server: String) -> LoopbackRedirect {
    let digest = Base64URL.encode(SHA256.hash(Array(server.utf8).span).span)
    let standard = standard(port: nil)
    return LoopbackRedirect(host: standard.host, port: nil, tail: "/\(digest.prefix(16))\(standard.tail)")
  }
}

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

/// The parameters of a query, decoded; one that decides anything and is there twice is an error (RFC 6749, section 3.1).
package struct QueryParameters: Equatable, Sendable {
  private var values: [String: String] = [:]

  /// Why a query can't be read.
  package enum Flaw: Error, Equatable, Sendable {
    case doubled(name: String)
    /// A bad percent escape, or bytes that are not UTF-8.
    case malformed
  }

  /// None at all.
  package static let none = QueryParameters()

  private init() {}

  /// Decodes `name=value&…`, with `+` for a space.
  ///
  /// - Parameters:
  ///   - query: The query without its `?`.
  ///   - onlyDescribes: Returns `true` for a parameter that nothing depends on: the first counts where it is there twice,
  ///     and its value is read as far as it can be decoded.
  /// - Throws: ``Flaw``.
  package init(_ query: String, onlyDescribes: (String) -> Bool = { _ in false }) throws(Flaw) {
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = try Self.decoded(parts[0])
      let isLenient = onlyDescribes(name)
      let value = parts.count == 2 ? try Self.decoded(parts[1], isLenient) : ""
      guard values[name] == nil || isLenient else { throw .doubled(name: name) }
      values[name] = values[name] ?? value
    }
  }

  /// The value of a parameter; an empty one counts as missing.
  package subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// The decoded names, in no order.
  package var names: [String] { Array(values.keys) }

  private static func decoded(_ text: Substring, _ isLenient: Bool = false) throws(Flaw) -> String {
    let encoded = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    let (bytes, isWellFormed) = percentDecoded(encoded.span)
    if isLenient { return String(decoding: bytes, as: UTF8.self) }
    guard isWellFormed, let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
    return text
  }
}
