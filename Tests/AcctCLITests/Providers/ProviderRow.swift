import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

/// A server that people have accounts at, as it answers, and what it wants of a client.
struct ProviderRow: Sendable, CustomTestStringConvertible {
  /// As it is typed: a provider, or the option that names the server.
  var typed: String
  /// Besides what names the server.
  var options = ["--client-id", "client"]
  /// By address: its metadata, and what a registration answers.
  var documents: [String: String] = [:]
  /// Where the browser goes; `nil` for a sign-in on another device.
  var authorization: String?
  /// Where a sign-in on another device begins.
  var device: String?
  /// Where the request goes before the browser does (RFC 9126), and what authenticates the client there.
  var pushed: String?
  /// What the first request of a sign-in has, besides what is random.
  var asks: [String: String] = [:]
  var token: String
  /// What each form of the token endpoint has.
  var forms: [String: String] = ["client_id": "client"]
  /// What no form of the token endpoint may have.
  var withholds: [String] = ["client_secret"]
  var basic: String?
  /// Whom each assertion of its client is for, where the client has a key.
  var assertionAudience: String?
  var answer: String
  /// The claims of the ID token in the answer; `NONCE` is what the request had.
  var claims = "{}"
  var userinfo: String?
  var user = "{}"
  /// The account's name.
  var name: String
  var api: String
  var bearer = "at-made-up"
  /// What a refresh is answered with; `nil` for tokens that are not renewed.
  var renewal: String?
  var revocation: String?
  /// An audience that the refresh token brings another token for, which later refreshes go on bringing.
  var audience: String?
  /// What the account's own token names as its audience.
  var ownAudience: String?

  var testDescription: String { typed }
  /// What names the server, as words of a command line.
  var words: [String] { typed.split(separator: " ").map(String.init) }
}

/// The server of a row: it answers exactly what it is asked for as it wants it.
struct RowServer {
  let row: ProviderRow
  let record: RecordedWorld
  let browser: RehearsedBrowser
  private let lastAudience = LastAudience()

  func serve() {
    record.serve { request throws(HTTPFailure) in answer(request) ?? .json(#"{"error":"not_found"}"#, 404) }
  }

  private func answer(_ request: HTTPRequest) -> HTTPResponse? {
    let place = request.url.htu
    if let document = row.documents[place] { return .json(document) }
    let form = RehearsedBrowser.parameters(of: "?" + Self.text(request.body))
    switch place {
    case row.device:
      guard row.asks.allSatisfy({ form[$0.key] == $0.value }) else { return nil }
      return .json(
        """
        {"device_code":"made-up-device-code","user_code":"BCDF-GHJK","interval":5,
         "verification_uri":"https://device.example/activate","expires_in":900}
        """
      )
    case row.pushed: return pushed(request, form)
    case row.token: return tokens(request, form)
    case row.userinfo:
      guard Self.field("Authorization", request) == "Bearer \(row.bearer)" else { return nil }
      return .json(row.user)
    case row.revocation: return form["token"] == nil ? .json(#"{"error":"invalid_request"}"#, 400) : .json("{}")
    default: return nil
    }
  }

  /// What the sign-in asks for: in the browser's address, or in the form that was pushed before.
  static func asked(_ row: ProviderRow, _ record: RecordedWorld, _ browser: RehearsedBrowser) -> [String: String] {
    guard let uri = browser.parameters["request_uri"] else { return browser.parameters }
    let forms = record.requests.filter { $0.url.htu == row.pushed }
    guard uri == Self.requestURI, let form = forms.last else { return [:] }
    return RehearsedBrowser.parameters(of: "?" + text(form.body))
  }

  private static let requestURI = "urn:ietf:params:oauth:request_uri:made-up"

  /// Takes a request from a client that proves itself; for a client without a secret the endpoint is not there.
  private func pushed(_ request: HTTPRequest, _ form: [String: String]) -> HTTPResponse {
    guard row.basic != nil || row.assertionAudience != nil else { return .json(#"{"error":"not_found"}"#, 404) }
    guard Self.field("Authorization", request) == row.basic, takesAssertion(in: request) else {
      return .json(#"{"error":"invalid_client"}"#, 401)
    }
    guard form["request_uri"] == nil, form["client_id"] == "client",
      form["code_challenge_method"] == "S256", Self.field("DPoP", request) == nil
    else { return .json(#"{"error":"invalid_request"}"#, 400) }
    return .json(#"{"request_uri":"\#(Self.requestURI)","expires_in":600}"#, 201)
  }

  /// Whether the assertion in a form is for whom this server wants it to be, as one string.
  private func takesAssertion(in request: HTTPRequest) -> Bool {
    guard let audience = row.assertionAudience else { return true }
    let assertion = try? Assertion(in: Self.text(request.body), named: "client_assertion")
    return assertion?.claims["aud"] == .string(audience)
  }

  /// What a token endpoint grants, with the ID token that repeats the request's nonce.
  private var granted: HTTPResponse {
    let nonce = Self.asked(row, record, browser)["nonce"] ?? ""
    let claims = row.claims.replacing("NONCE", with: nonce)
      .replacing("{", with: #"{"iat":1800000000,"exp":1800003600,"#, maxReplacements: 1)
    return .json(row.answer.replacing("ID_TOKEN", with: idToken(claims)))
  }

  private func tokens(_ request: HTTPRequest, _ form: [String: String]) -> HTTPResponse? {
    func refused(_ reason: String) -> HTTPResponse {
      .json(#"{"error":"invalid_request","error_description":"\#(reason)"}"#, 400)
    }
    guard takesAssertion(in: request) else { return .json(#"{"error":"invalid_client"}"#, 401) }
    guard
      Self.text(request.body).split(separator: "&").count(where: { $0.hasPrefix("resource=") }) < 2
    else { return .json(#"{"error":"invalid_target"}"#, 400) }
    for (name, value) in row.forms where form[name] != value { return refused("\(name) is \(form[name] ?? "missing")") }
    for name in row.withholds where form[name] != nil { return refused("\(name) is unasked for") }
    guard Self.field("Authorization", request) == row.basic else { return refused("Authorization") }
    guard Self.field("DPoP", request) == nil else { return refused("a proof") }
    switch form["grant_type"] {
    case "authorization_code":
      guard form["code"] == "made-up-code", form["code_verifier"] != nil,
        form["redirect_uri"]?.hasPrefix("http://") == true
      else { return refused("the code") }
      return granted
    case "urn:ietf:params:oauth:grant-type:device_code": return row.device == nil ? refused("the grant") : granted
    case "refresh_token":
      if let audience = row.audience, lastAudience.after(form["audience"]) == audience { return .json(Self.second) }
      return row.renewal.map { .json($0) } ?? refused("the grant")
    default: return refused("the grant")
    }
  }

  /// A token for another audience, out of the same refresh token.
  private static let second = #"{"access_token":"at-second","token_type":"Bearer","expires_in":3600}"#

  private static func field(_ name: String, _ request: HTTPRequest) -> String? {
    request.fields.first { $0.name == name }.map { text($0.value) }
  }

  static func text(_ secret: Secret?) -> String {
    secret?.withBytes { span in
      String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
    } ?? ""
  }
}

/// The audience of the last refresh that named one: those after it bring a token for the same.
private final class LastAudience: Sendable {
  private let audience = Mutex<String?>(nil)

  /// What a refresh is for that names this audience, or none.
  func after(_ named: String?) -> String? {
    audience.withLock { last in
      if let named { last = named }
      return last
    }
  }
}

/// An ID token as a server writes it, with a signature that nothing checks.
func idToken(_ claims: String) -> String {
  [#"{"alg":"RS256"}"#, claims, "signature"].map { Base64URL.encode(Array($0.utf8).span) }.joined(separator: ".")
}
