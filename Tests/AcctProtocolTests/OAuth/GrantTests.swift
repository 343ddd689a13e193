import AcctModel
import AcctProtocol
import StrictJSON
import AcctTestSupport
import Testing

@Suite("What a token endpoint grants")
struct GrantTests {
  private func response(_ members: JSONObject, boundTo key: String? = nil) throws -> TokenResponse {
    var answer: JSONObject = ["access_token": "opaque", "token_type": "bearer"]
    for (name, value) in members { answer[name] = value }
    return try TokenResponse(.object(answer), boundTo: key, showing: { $0 })
  }

  @Test(
    "A grant lacks the requested scopes that it does not name, however it writes them",
    arguments: [
      ("a b", nil, []), ("a b", "b a", []), ("a b", "a", ["b"]), (nil, "a", []),
      // An empty one is as good as none.
      ("a b", "", []),
      // GitHub separates them by commas.
      ("repo gist", "repo,gist", []), ("repo,gist", "repo", ["gist"]),
      // Google and Microsoft write some as URLs.
      ("email openid", "openid https://www.googleapis.com/auth/userinfo.email", []),
      ("https://graph.microsoft.com/User.Read", "User.Read profile", []),
      ("mail", "https://as.example/email", ["mail"]),
      ("offline_access", "a", ["offline_access"]),
    ] as [(String?, String?, [String])]
  )
  func scopes(requested: String?, granted: String?, missing: [String]) throws {
    let response = try response(["scope": .init(granted)])
    #expect(Scope.missing(of: requested, in: response) == missing)
  }

  @Test("A grant with a refresh token has offline_access, also if its scope does not name it")
  func offlineAccess() throws {
    let response = try response(["scope": "a", "refresh_token": "r"])
    #expect(Scope.missing(of: "a offline_access", in: response) == [])
  }

  @Test("A token ends at no known time if neither it nor the server tells, and nothing renews it")
  func withoutEnd() throws {
    let now = Timestamp.epoch
    let response = try response([:])
    #expect(response.tokenLifetime(from: now, canRenew: false).expiresAt == nil)
    #expect(response.tokenLifetime(from: now, canRenew: false).state(at: now) == .valid)
    let hour = response.tokenLifetime(from: now, canRenew: true)
    #expect(hour.expiresAt == now.adding(seconds: 3600))
  }

  @Test("A token is renewed when a third of a life under 15 minutes is left, also if only its exp tells it")
  func shortLife() throws {
    let claims = Base64URL.encode(Array(#"{"exp":120}"#.utf8).span)
    let response = try response(["access_token": .string("e30.\(claims).c2ln")])
    let lifetime = response.tokenLifetime(from: .epoch, canRenew: true)
    #expect(lifetime.state(at: .epoch) == .valid)
    #expect(lifetime.state(at: Timestamp.epoch.adding(seconds: 79)) == .valid)
    #expect(lifetime.state(at: Timestamp.epoch.adding(seconds: 80)) == .expiring)
  }

  @Test("A bound account accepts no bearer token")
  func type() throws {
    func outcome(_ type: String, for account: Account.TokenType) -> String {
      let row = AnswerRow(200, #"{"access_token":"a","token_type":"\#(type)"}"#, "")
      let outcome = TokenOutcome(row.answer, boundTo: account == .dpop ? "thumbprint" : nil)
      switch outcome.requiring(account) {
      case .granted: return "granted"
      case .unusable(nil, .tokenType(let type)), .unanswered(.failed(.tokenType(let type))): return "not \(type)"
      default: return "something else"
      }
    }
    #expect(outcome("Bearer", for: .dpop) == "not Bearer")
    #expect(outcome("bearer", for: .dpop) == "not Bearer")
    #expect(outcome("dpop", for: .dpop) == "granted")
    #expect(outcome("BEARER", for: .bearer) == "granted")
    #expect(outcome("DPoP", for: .bearer) == "not DPoP")
    // Names of Slack, Azure DevOps, Apigee and eBay.
    for name in ["user", "jwt-bearer", "BearerToken", "User Access Token", "Application Access Token"] {
      #expect(outcome(name, for: .bearer) == "granted", "\(name)")
      #expect(outcome(name, for: .dpop) == "not Bearer", "\(name)")
    }
    #expect(outcome("mac", for: .bearer) == "not mac")
  }

  @Test(
    "The issued type decides whether a token is sent, else the requested one, whatever the server calls it",
    arguments: [
      ("Bearer", "id_token", nil, "N_A"), ("user", "id_token", nil, "N_A"), ("DPoP", "saml2", nil, "N_A"),
      ("N_A", "access_token", nil, "N_A"), ("Bearer", "access_token", "id_token", "Bearer"),
      ("Bearer", nil, "id_token", "N_A"), ("Bearer", nil, "saml1", "N_A"), ("N_A", nil, "jwt", "N_A"),
      ("Bearer", nil, "jwt", "Bearer"), ("Bearer", "refresh_token", nil, nil), ("user", "refresh_token", nil, nil),
      ("N_A", nil, nil, nil),
    ] as [(String, String?, String?, String?)]
  )
  func issued(type: String, issued: String?, requested: String?, expected: String?) throws {
    func uri(_ name: String) -> String { "urn:ietf:params:oauth:token-type:\(name)" }
    var answer: JSONObject = ["access_token": "opaque", "token_type": .string(type)]
    if let issued { answer["issued_token_type"] = .string(uri(issued)) }
    let found = try? TokenResponse(
      .object(answer),
      boundTo: "thumbprint",
      requesting: try requested.map { try TokenTypeURI(uri($0)) },
      showing: { $0 }
    )
    #expect(found?.tokenType.rawValue == expected)
  }

  @Test(
    "A rejected pushed request goes to the browser, unless the client, scope or resource is rejected",
    arguments: [
      (401, #"{"error":"invalid_client"}"#, false), (400, #"{"error":"unauthorized_client"}"#, false),
      (403, #"{"error":"access_denied"}"#, true), (401, "", true), (403, "", true), (404, "", true),
      (404, #"{"error":"Not Found","status":404}"#, true), (405, "", true), (400, "", true),
      (400, #"{"error":"invalid_request"}"#, true), (400, #"{"error":"invalid_target"}"#, false),
      (400, #"{"error":"invalid_scope"}"#, false), (401, #"{"error":"use_dpop_nonce"}"#, false),
      (400, #"{"error":"invalid_dpop_proof"}"#, false), (429, "", false), (500, "", false), (200, "{}", false),
    ]
  )
  func pushed(status: Int, body: String, refusesPushedRequest: Bool) {
    #expect(AnswerRow(status, body, "").answer.refusesPushedRequest == refusesPushedRequest)
  }
}
