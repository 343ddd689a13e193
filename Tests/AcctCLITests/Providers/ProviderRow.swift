import AcctModel
import AcctPorts
import AcctProtocol
import AcctTestSupport
import StrictJSON
import Testing

/// A server that people have accounts at, as it answers, and what it wants of a client.
struct ProviderRow: Sendable, CustomTestStringConvertible {
  /// As it is typed.
  var typed: String
  /// Besides the provider.
  var options = ["--client-id", "client"]
  /// By address: its metadata, and what a registration answers.
  var documents: [String: String] = [:]
  /// Where the browser goes; `nil` for a sign-in on another device.
  var authorization: String?
  /// Where a sign-in on another device begins.
  var device: String?
  /// What the first request of a sign-in has, besides what is random.
  var asks: [String: String] = [:]
  var token: String
  /// What each form of the token endpoint has.
  var forms: [String: String] = ["client_id": "client"]
  /// What no form of the token endpoint may have.
  var withholds: [String] = ["client_secret"]
  var basic: String?
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

  var testDescription: String { typed }
}

/// The server of a row: it answers exactly what it is asked for as it wants it.
struct RowServer {
  let row: ProviderRow
  let record: RecordedWorld
  let browser: RehearsedBrowser

  func serve() {
    record.serve { request throws(HTTPFailure) in
      answer(request) ?? .json(#"{"error":"not_found"}"#, 404)
    }
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
    case row.token: return tokens(request, form)
    case row.userinfo:
      guard Self.field("Authorization", request) == "Bearer \(row.bearer)" else { return nil }
      return .json(row.user)
    case row.revocation:
      return form["token"] == nil ? .json(#"{"error":"invalid_request"}"#, 400) : .json("{}")
    default: return nil
    }
  }

  /// What a token endpoint grants, with the ID token that repeats the request's nonce.
  private var granted: HTTPResponse {
    let claims = row.claims.replacing("NONCE", with: browser.parameters["nonce"] ?? "")
    return .json(row.answer.replacing("ID_TOKEN", with: idToken(claims)))
  }

  private func tokens(_ request: HTTPRequest, _ form: [String: String]) -> HTTPResponse? {
    func refused(_ reason: String) -> HTTPResponse {
      .json(#"{"error":"invalid_request","error_description":"\#(reason)"}"#, 400)
    }
    for (name, value) in row.forms where form[name] != value {
      return refused("\(name) is \(form[name] ?? "missing")")
    }
    for name in row.withholds where form[name] != nil { return refused("\(name) is unasked for") }
    guard Self.field("Authorization", request) == row.basic else { return refused("Authorization") }
    guard Self.field("DPoP", request) == nil else { return refused("a proof") }
    switch form["grant_type"] {
    case "authorization_code":
      guard form["code"] == "made-up-code", form["code_verifier"] != nil,
        form["redirect_uri"]?.hasPrefix("http://") == true
      else { return refused("the code") }
      return granted
    case "urn:ietf:params:oauth:grant-type:device_code":
      return row.device == nil ? refused("the grant") : granted
    case "refresh_token":
      return row.renewal.map { .json($0) } ?? refused("the grant")
    default: return refused("the grant")
    }
  }

  private static func field(_ name: String, _ request: HTTPRequest) -> String? {
    request.fields.first { $0.name == name }.map { text($0.value) }
  }

  static func text(_ secret: Secret?) -> String {
    secret?.withBytes { span in
      String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
    } ?? ""
  }
}

/// An ID token as a server writes it, with a signature that nothing checks.
func idToken(_ claims: String) -> String {
  [#"{"alg":"RS256"}"#, claims, "signature"]
    .map { Base64URL.encode(Array($0.utf8).span) }.joined(separator: ".")
}
