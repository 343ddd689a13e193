import AcctCLI
import AcctModel
import AcctPorts
import AcctProtocol
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

/// An OpenID provider in memory, for sign-ins in the browser; a test can spoil what it says.
final class OpenIDServer: Sendable {
  struct Settings {
    /// The claims of its ID tokens; `NONCE` stands for what the request had.
    var claims: JSONObject? = [
      "iss": .string(OpenIDServer.issuer), "aud": "client", "sub": "alice", "nonce": "NONCE",
      "iat": 1_799_990_000, "exp": 1_800_003_600,
    ]
    /// In place of a token with these claims.
    var idToken: JSON?
    /// Members of the token endpoint's answer; `null` leaves one out.
    var answer: JSONObject = [:]
    /// What the userinfo answers.
    var userinfo = HTTPResponse.json(#"{"sub":"alice"}"#)
    var metadata: JSONObject = [:]
    /// The client that it knows.
    var client = "client"
    /// The error for each renewal; `nil` to grant it.
    var renewalError: String?
    var revocation = HTTPResponse.json("{}")
    /// `true` if it accepts a token after its revocation.
    var ignoresRevocation = false
    /// `true` if it ends the whole session with any token of it.
    var endsSession = false
    /// The tokens that its introspection reports as active; `nil` if it has none.
    var active: Set<String>?
    var revoked: Set<String> = []
  }

  static let issuer = "https://as.example"

  let record = RecordedWorld()
  let browser = RehearsedBrowser()
  private let settings = Mutex(Settings())

  init() { record.serve { [self] request throws(HTTPFailure) in answer(request) } }

  /// Changes what it says from now on.
  func set(_ change: (inout Settings) -> Void) { settings.withLock { change(&$0) } }

  /// Signs in, in the browser, with the scope `openid`.
  func add(_ options: String..., scope: String? = "openid") async -> Int32 { await add(options, scope: scope) }

  /// The same, with options in a list.
  func add(_ options: [String], scope: String? = "openid") async -> Int32 {
    record.clear()
    let line = ["add", "--issuer", Self.issuer, "--client-id", "client"]
    return await Acct.run(
      line + (scope.map { ["--scope", $0] } ?? []) + options,
      in: browser.world(of: record),
      parsedBy: ParsedLines.parse
    )
  }

  /// Signs in at the provider `acme` of the user's own.
  func addAcme() async -> Int32 {
    record.clear()
    return await Acct.run(
      ["add", "acme", "--client-id", "client"],
      in: browser.world(of: record),
      parsedBy: ParsedLines.parse
    )
  }

  /// The forms that a path got, oldest first.
  func forms(_ path: String) -> [[String: String]] {
    record.requests.filter { $0.url.path == path }
      .map { RehearsedBrowser.parameters(of: "?" + RowServer.text($0.body)) }
  }

  /// The refresh tokens of the renewals, oldest first.
  var renewals: [String] { forms("/token").compactMap { $0["refresh_token"] } }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    let settings = settings.withLock { $0 }
    switch request.url.path {
    case RecordedServer.place:
      var document: JSONObject = [
        "issuer": .string(Self.issuer),
        "authorization_endpoint": .string("\(Self.issuer)/authorize"),
        "token_endpoint": .string("\(Self.issuer)/token"),
        "userinfo_endpoint": .string("\(Self.issuer)/me"),
        "revocation_endpoint": .string("\(Self.issuer)/revoke"),
      ]
      if settings.active != nil { document["introspection_endpoint"] = .string("\(Self.issuer)/introspect") }
      for (name, value) in settings.metadata { document[name] = value == .null ? nil : value }
      return .json(String(decoding: JSON.object(document).serialized(), as: UTF8.self))
    case "/start": return RecordedServer.start
    case "/token": return tokens(request, settings)
    case "/me":
      let sent = request.fields.first { $0.name == "Authorization" }.map(\.value.shownText) ?? ""
      return settings.revoked.contains { sent.hasSuffix($0) } ? .json("{}", 401) : settings.userinfo
    case "/revoke": return revoke(RehearsedBrowser.parameters(of: "?" + RowServer.text(request.body)), settings)
    case "/introspect":
      let form = RehearsedBrowser.parameters(of: "?" + RowServer.text(request.body))
      return .json(#"{"active":\#(settings.active?.contains(form["token"] ?? "") == true)}"#)
    default: return .json(#"{"error":"not_found"}"#, 404)
    }
  }

  private func revoke(_ form: [String: String], _ settings: Settings) -> HTTPResponse {
    if settings.revocation.status == 200, let token = form["token"], !settings.ignoresRevocation {
      set {
        $0.revoked.insert(token)
        $0.active?.remove(token)
        if $0.endsSession { $0.renewalError = "invalid_grant" }
      }
    }
    return settings.revocation
  }

  private func tokens(_ request: HTTPRequest, _ settings: Settings) -> HTTPResponse {
    let form = RehearsedBrowser.parameters(of: "?" + RowServer.text(request.body))
    let number = record.requests.count { $0.url.path == "/token" }
    guard form["client_id"] == settings.client,
      form["grant_type"] == "refresh_token" ? form["refresh_token"] != nil : form["code"] ?? form["device_code"] != nil
    else { return .json(#"{"error":"invalid_request"}"#, 400) }
    if form["grant_type"] == "refresh_token", let error = settings.renewalError {
      return .json(#"{"error":"\#(error)"}"#, 400)
    }
    var answer: JSONObject = [
      "access_token": .string("at-\(number)-long-enough"), "token_type": "Bearer",
      "refresh_token": .string("rt-\(number)-long-enough"), "expires_in": 3600,
    ]
    if let claims = settings.claims {
      let text = String(decoding: JSON.object(claims).serialized(), as: UTF8.self)
      let nonce = browser.parameters["nonce"] ?? ""
      answer["id_token"] = .string(idToken(text.replacing("NONCE", with: nonce)))
    }
    if let text = settings.idToken { answer["id_token"] = text }
    for (name, value) in settings.answer { answer[name] = value == .null ? nil : value }
    return .json(String(decoding: JSON.object(answer).serialized(), as: UTF8.self))
  }
}
