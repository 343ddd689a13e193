import AcctModel
import StrictJSON

private let connected = """
  {"access_token":"at-made-up","token_type":"Bearer","expires_in":3600,"refresh_token":"rt-made-up",
   "id_token":"ID_TOKEN"}
  """
private let renewed =
  #"{"access_token":"at-renewed","token_type":"Bearer","expires_in":3600,"refresh_token":"rt-2-made-up"}"#
private let secretOptions = ["--client-id", "client", "--client-secret-file", "secret"]
// The base64 of client:made-up-secret.
private let basicCredentials = "Basic Y2xpZW50Om1hZGUtdXAtc2VjcmV0"

/// Servers that acct has no provider for: the user types their issuer.
extension ProviderRow {
  /// A server that describes itself where OpenID Connect Discovery 1.0 appends it.
  static func byIssuer(
    _ typed: String,
    issuer: String,
    at base: String,
    _ endpoints: [String: String],
    subject: String,
    name: String,
    api: String,
    offers: JSONObject = [:]
  ) -> ProviderRow {
    var metadata: JSONObject = ["issuer": .string(issuer)]
    for (member, path) in endpoints.sorted(by: { $0.key < $1.key }) {
      metadata["\(member)_endpoint"] = .string(base + path)
    }
    for (member, value) in offers { metadata[member] = value }
    func endpoint(_ member: String) -> String? { endpoints[member].map { base + $0 } }
    let nonce = endpoints["device_authorization"] == nil ? #","nonce":"NONCE""# : ""
    let place = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    return ProviderRow(
      typed: "--issuer \(typed)",
      documents: [
        "\(place)/.well-known/openid-configuration": String(decoding: JSON.object(metadata).serialized(), as: UTF8.self)
      ],
      authorization: endpoint("authorization"),
      device: endpoint("device_authorization"),
      pushed: endpoint("pushed_authorization_request"),
      token: endpoint("token") ?? "",
      answer: connected,
      claims: #"{"iss":"\#(issuer)","aud":"client","sub":"\#(subject)"\#(nonce)}"#,
      userinfo: endpoint("userinfo"),
      user: #"{"sub":"\#(subject)"}"#,
      name: name,
      api: api,
      renewal: renewed,
      revocation: endpoint("revocation")
    )
  }

  static func options(scope: String, api: String, _ more: String...) -> [String] {
    ["--client-id", "client", "--scope", scope, "--allow-origin", api] + more
  }

  /// It names no PKCE methods, and its answers no end; the API's host is in the answer.
  private static let salesforce: ProviderRow = {
    var row = byIssuer(
      "https://login.salesforce.com",
      issuer: "https://login.salesforce.com",
      at: "https://login.salesforce.com/services/oauth2",
      ["authorization": "/authorize", "token": "/token", "userinfo": "/userinfo", "revocation": "/revoke"],
      subject: "https://login.salesforce.com/id/00D1/0051",
      name: "https://login.salesforce.com/id/00D1/0051@login.salesforce.com",
      api: "https://acme.my.salesforce.com/services/data"
    )
    row.options = options(scope: "openid api refresh_token", api: "https://acme.my.salesforce.com")
    row.asks["scope"] = "openid api refresh_token"
    row.answer = """
      {"access_token":"at-made-up","signature":"c2ln","scope":"refresh_token openid api","id_token":"ID_TOKEN",
       "refresh_token":"rt-made-up","instance_url":"https://acme.my.salesforce.com",
       "id":"https://login.salesforce.com/id/00D1/0051","token_type":"Bearer","issued_at":"1767225600000"}
      """
    row.renewal = """
      {"access_token":"at-renewed","signature":"c2ln","scope":"refresh_token openid api",
       "instance_url":"https://acme.my.salesforce.com","id":"https://login.salesforce.com/id/00D1/0051",
       "token_type":"Bearer","issued_at":"1767229200000"}
      """
    return row
  }()

  private static func duende(_ issuer: String) -> ProviderRow {
    var row = byIssuer(
      issuer,
      issuer: issuer,
      at: "\(issuer)/connect",
      [
        "authorization": "/authorize", "token": "/token", "userinfo": "/userinfo",
        "revocation": "/revocation", "pushed_authorization_request": "/par",
      ],
      subject: "88421113",
      name: "88421113@\(issuer.dropFirst("https://".count))",
      api: "https://api.example/orders",
      offers: [
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "code_challenge_methods_supported": ["plain", "S256"],
        "require_pushed_authorization_requests": false,
      ]
    )
    row.asks["scope"] = "openid orders offline_access"
    row.asks["prompt"] = "consent"
    return row
  }

  /// A client with a secret proves itself where it pushes its request, too.
  private static let confidentialDuende: ProviderRow = {
    var row = duende("https://is.example")
    row.options =
      options(scope: "openid orders offline_access", api: "https://api.example")
      + secretOptions.dropFirst(2)
    row.forms = [:]
    row.basic = basicCredentials
    return row
  }()

  /// A public client's pushed request is refused.
  private static let publicDuende: ProviderRow = {
    var row = duende("https://public-is.example")
    row.options = options(scope: "openid orders offline_access", api: "https://api.example")
    return row
  }()

  /// Its issuer ends in a slash, which people leave out, and differs from where its endpoints are.
  private static let authentik: ProviderRow = {
    let subject = "9f2c41d07ab3"
    var row = byIssuer(
      "https://auth.example/application/o/acct",
      issuer: "https://auth.example/application/o/acct/",
      at: "https://auth.example/application/o",
      ["authorization": "/authorize/", "token": "/token/", "userinfo": "/userinfo/", "revocation": "/revoke/"],
      subject: subject,
      name: "\(subject)@auth.example",
      api: "https://api.example/v3"
    )
    row.options = options(scope: "openid offline_access", api: "https://api.example")
    row.asks = ["scope": "openid offline_access", "prompt": "consent"]
    return row
  }()

  /// INDIGO IAM: the issuer is a host with a slash; a sign-in on another device.
  private static let wlcg: ProviderRow = {
    var row = byIssuer(
      "https://wlcg.example",
      issuer: "https://wlcg.example/",
      at: "https://wlcg.example",
      ["token": "/token", "device_authorization": "/devicecode", "userinfo": "/userinfo", "revocation": "/revoke"],
      subject: "b1c5",
      name: "b1c5@wlcg.example",
      api: "https://storage.example/data"
    )
    let scope = "openid offline_access storage.read:/"
    row.options = options(scope: scope, api: "https://storage.example", "--device")
    row.asks = ["scope": scope, "client_id": "client"]
    return row
  }()

  /// Keycloak at Check-in: one refresh token, a token for each audience.
  private static let egi: ProviderRow = {
    let realm = "https://aai.example/auth/realms/egi"
    var row = byIssuer(
      realm,
      issuer: realm,
      at: "\(realm)/protocol/openid-connect",
      ["token": "/token", "device_authorization": "/auth/device", "userinfo": "/userinfo", "revocation": "/revoke"],
      subject: "e9@egi.example",
      name: "e9@egi.example@aai.example",
      api: "https://cloud.example/v3"
    )
    row.options = options(scope: "openid offline_access", api: "https://cloud.example", "--device")
    row.asks = ["scope": "openid offline_access", "client_id": "client"]
    row.audience = "https://storage.example"
    row.ownAudience = "https://cloud.example"
    let claims: JSONObject = ["sub": "e9@egi.example", "aud": "https://cloud.example"]
    row.bearer = Handoffs.token(claims)
    row.answer = connected.replacing("at-made-up", with: row.bearer)
    return row
  }()

  /// FAPI 2.0: the client has a key, and signs each assertion for the issuer.
  private static let fapi: ProviderRow = {
    let issuer = "https://fapi.example"
    var row = byIssuer(
      issuer,
      issuer: issuer,
      at: issuer,
      [
        "authorization": "/authorize", "token": "/token", "revocation": "/revoke",
        "pushed_authorization_request": "/par",
      ],
      subject: "f1",
      name: "f1@fapi.example",
      api: "https://api.example/accounts",
      offers: [
        "token_endpoint_auth_methods_supported": ["private_key_jwt"],
        "require_pushed_authorization_requests": true,
      ]
    )
    row.options = options(scope: "openid accounts", api: "https://api.example", "--client-key", "key")
    row.asks["scope"] = "openid accounts"
    row.assertionAudience = issuer
    return row
  }()

  /// Its token requests name one resource, although the sign-in may name several; on another device, too.
  private static func oneResource(_ host: String, _ more: String...) -> ProviderRow {
    let issuer = "https://\(host)"
    let isDevice = more.contains("--device")
    var row = byIssuer(
      issuer,
      issuer: issuer,
      at: issuer,
      [isDevice ? "device_authorization" : "authorization": "/start", "token": "/token", "revocation": "/revoke"],
      subject: "r1",
      name: "r1@\(host)",
      api: "https://one.example/things"
    )
    row.options =
      [
        "--client-id", "client", "--scope", "openid", "--resource", "https://one.example",
        "--resource", "https://two.example",
      ] + more
    row.asks = ["scope": "openid", "resource": "https://one.example"]
    row.forms["resource"] = "https://one.example"
    return row
  }

  static let byIssuer: [ProviderRow] = [
    salesforce, confidentialDuende, publicDuende, authentik, wlcg, egi, fapi, toolkit, hub,
    oneResource("resources.example"), oneResource("device-resources.example", "--device"),
  ]
}
