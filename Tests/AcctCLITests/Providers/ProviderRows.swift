import AcctModel
import StrictJSON

private let lasting = #"{"access_token":"at-made-up","token_type":"bearer"}"#
private let renewable =
  #"{"access_token":"at-made-up","token_type":"Bearer","expires_in":3600,"refresh_token":"rt-made-up"}"#
private let connected = """
  {"access_token":"at-made-up","token_type":"Bearer","expires_in":3600,"refresh_token":"rt-made-up",
   "id_token":"ID_TOKEN"}
  """
private let renewed =
  #"{"access_token":"at-renewed","token_type":"Bearer","expires_in":3600,"refresh_token":"rt-2-made-up"}"#
private let secretOptions = ["--client-id", "client", "--client-secret-file", "secret"]

extension ProviderRow {
  /// Metadata as of RFC 8414, or OpenID Connect's.
  private static func metadata(_ issuer: String, _ members: [String: String]) -> String {
    var object: JSONObject = ["issuer": .string(issuer)]
    for (name, value) in members.sorted(by: { $0.key < $1.key }) { object[name] = .string(value) }
    return String(decoding: JSON.object(object).serialized(), as: UTF8.self)
  }

  private static func claims(_ issuer: String, _ claims: String) -> String {
    #"{"iss":"\#(issuer)","aud":"client",\#(claims)}"#
  }

  /// An OpenID provider with its endpoints below its issuer.
  private static func openID(
    _ typed: String,
    issuer: String,
    scope: String,
    claims: String,
    user: String?,
    name: String,
    api: String,
    members: [String: String] = [:]
  ) -> ProviderRow {
    let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    var endpoints = [
      "authorization_endpoint": "\(base)/authorize", "token_endpoint": "\(base)/token",
      "userinfo_endpoint": "\(base)/userinfo", "revocation_endpoint": "\(base)/revoke",
    ]
    endpoints.merge(members) { _, own in own }
    return ProviderRow(
      typed: typed,
      documents: ["\(base)/.well-known/openid-configuration": metadata(issuer, endpoints)],
      authorization: endpoints["authorization_endpoint"],
      asks: ["scope": scope],
      token: endpoints["token_endpoint"] ?? "",
      answer: connected,
      claims: Self.claims(issuer, claims),
      userinfo: endpoints["userinfo_endpoint"],
      user: user ?? "{}",
      name: name,
      api: api,
      renewal: renewed,
      revocation: endpoints["revocation_endpoint"]
    )
  }

  private static let gitHub = ProviderRow(
    typed: "github",
    documents: [
      "https://github.com/.well-known/oauth-authorization-server/login/oauth": metadata(
        "https://github.com/login/oauth",
        [
          "authorization_endpoint": "https://github.com/login/oauth/authorize",
          "token_endpoint": "https://github.com/login/oauth/access_token",
        ]
      )
    ],
    device: "https://github.com/login/device/code",
    asks: ["client_id": "client", "scope": "repo read:org gist"],
    token: "https://github.com/login/oauth/access_token",
    answer: lasting,
    userinfo: "https://api.github.com/user",
    user: #"{"login":"octocat","id":583231,"name":"The Octocat"}"#,
    name: "octocat@github.com",
    api: "https://api.github.com/user"
  )

  private static let enterprise = ProviderRow(
    typed: "github:ghe.example",
    device: "https://ghe.example/login/device/code",
    asks: ["client_id": "client", "scope": "repo read:org gist"],
    token: "https://ghe.example/login/oauth/access_token",
    answer: lasting,
    userinfo: "https://ghe.example/api/v3/user",
    user: #"{"login":"octocat","id":7}"#,
    name: "octocat@ghe.example",
    api: "https://ghe.example/api/v3/user"
  )

  private static let google: ProviderRow = {
    var row = openID(
      "google",
      issuer: "https://accounts.google.com",
      scope: "openid email",
      claims: #""sub":"110169484474386276334","email":"jane@example.com","nonce":"NONCE""#,
      user: #"{"sub":"110169484474386276334","email":"jane@example.com"}"#,
      name: "jane@example.com",
      api: "https://gmail.googleapis.com/gmail/v1/users/me/profile",
      members: [
        "token_endpoint": "https://oauth2.googleapis.com/token",
        "revocation_endpoint": "https://oauth2.googleapis.com/revoke",
        "userinfo_endpoint": "https://openidconnect.googleapis.com/v1/userinfo",
      ]
    )
    row.options = secretOptions
    row.forms["client_secret"] = "made-up-secret"
    row.withholds = []
    row.asks["access_type"] = "offline"
    row.asks["prompt"] = "consent"
    return row
  }()

  private static let tenant = "9188040d-6c67-4c5b-b112-36a304b66dad"

  private static let microsoft = ProviderRow(
    typed: "microsoft",
    documents: [
      "https://login.microsoftonline.com/\(tenant)/v2.0/.well-known/openid-configuration": metadata(
        "https://login.microsoftonline.com/\(tenant)/v2.0",
        [
          "authorization_endpoint":
            "https://login.microsoftonline.com/\(tenant)/oauth2/v2.0/authorize",
          "token_endpoint": "https://login.microsoftonline.com/\(tenant)/oauth2/v2.0/token",
        ]
      )
    ],
    authorization: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    asks: [
      "scope": "openid profile email offline_access User.Read", "prompt": "select_account",
      "redirect_uri": "http://localhost:8123",
    ],
    token: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
    answer: connected,
    claims: claims(
      "https://login.microsoftonline.com/\(tenant)/v2.0",
      #""tid":"\#(tenant)","sub":"AAAA","preferred_username":"jane@outlook.example","nonce":"NONCE""#
    ),
    name: "jane@outlook.example",
    api: "https://graph.microsoft.com/v1.0/me",
    renewal: renewed
  )

  private static let mastodon = ProviderRow(
    typed: "mastodon:social.example",
    options: [],
    documents: [
      "https://social.example/api/v1/apps":
        #"{"id":"1","name":"acct","client_id":"client","client_secret":"made-up-secret"}"#
    ],
    authorization: "https://social.example/oauth/authorize",
    asks: ["scope": "read write"],
    token: "https://social.example/oauth/token",
    forms: ["client_id": "client", "client_secret": "made-up-secret"],
    withholds: [],
    answer:
      #"{"access_token":"at-made-up","token_type":"Bearer","scope":"read write","created_at":1}"#,
    userinfo: "https://social.example/api/v1/accounts/verify_credentials",
    user: #"{"id":"109","username":"alice","acct":"alice","display_name":"Alice"}"#,
    name: "alice@social.example",
    api: "https://social.example/api/v1/timelines/home",
    revocation: "https://social.example/oauth/revoke"
  )

  private static let bitbucket = ProviderRow(
    typed: "bitbucket",
    options: secretOptions,
    authorization: "https://bitbucket.org/site/oauth2/authorize",
    token: "https://bitbucket.org/site/oauth2/access_token",
    forms: [:],
    // The base64 of client:made-up-secret.
    basic: "Basic Y2xpZW50Om1hZGUtdXAtc2VjcmV0",
    answer: renewable,
    userinfo: "https://api.bitbucket.org/2.0/user",
    user: #"{"uuid":"{0f3a}","username":"jane"}"#,
    name: "jane@api.bitbucket.org",
    api: "https://api.bitbucket.org/2.0/user",
    renewal: renewed
  )

  private static let atlassian = ProviderRow(
    typed: "atlassian",
    options: secretOptions,
    authorization: "https://auth.atlassian.com/authorize",
    asks: ["audience": "api.atlassian.com", "prompt": "consent", "scope": "read:me offline_access"],
    token: "https://auth.atlassian.com/oauth/token",
    forms: ["client_id": "client", "client_secret": "made-up-secret"],
    withholds: [],
    answer: renewable,
    userinfo: "https://api.atlassian.com/me",
    user: #"{"account_id":"5b10","email":"jane@example.com","name":"Jane"}"#,
    name: "jane@example.com",
    api: "https://api.atlassian.com/ex/jira/1/rest/api/3/myself",
    renewal: renewed
  )

  private static let slack = ProviderRow(
    typed: "slack",
    authorization: "https://slack.com/oauth/v2/authorize",
    asks: ["user_scope": "users:read"],
    token: "https://slack.com/api/oauth.v2.access",
    answer: """
      {"ok":true,"app_id":"A1","team":{"id":"T1"},"authed_user":{"id":"U1","scope":"users:read",
       "access_token":"xoxp-made-up","token_type":"user","refresh_token":"xoxe-made-up","expires_in":43200}}
      """,
    userinfo: "https://slack.com/api/auth.test",
    user: #"{"ok":true,"user":"jane","user_id":"U1","team_id":"T1"}"#,
    name: "jane@slack.com",
    api: "https://slack.com/api/users.list",
    bearer: "xoxp-made-up",
    renewal: """
      {"ok":true,"access_token":"at-renewed","token_type":"user","refresh_token":"xoxe-2-made-up",
       "expires_in":43200,"scope":"users:read"}
      """,
    revocation: "https://slack.com/api/auth.revoke"
  )

  private static let spotify = ProviderRow(
    typed: "spotify",
    authorization: "https://accounts.spotify.com/authorize",
    asks: ["scope": "user-read-private user-read-email"],
    token: "https://accounts.spotify.com/api/token",
    answer: renewable,
    userinfo: "https://api.spotify.com/v1/me",
    user: #"{"id":"jane77","display_name":"Jane"}"#,
    name: "jane77@api.spotify.com",
    api: "https://api.spotify.com/v1/me/playlists",
    renewal: renewed
  )

  private static let discord = ProviderRow(
    typed: "discord",
    authorization: "https://discord.com/oauth2/authorize",
    asks: ["scope": "identify"],
    token: "https://discord.com/api/oauth2/token",
    answer: renewable,
    userinfo: "https://discord.com/api/users/@me",
    user: #"{"id":"80351110224678912","username":"nelly"}"#,
    name: "nelly@discord.com",
    api: "https://discord.com/api/users/@me/guilds",
    renewal: renewed,
    revocation: "https://discord.com/api/oauth2/token/revoke"
  )

  private static func git(_ typed: String, _ host: String) -> ProviderRow {
    openID(
      typed,
      issuer: "https://\(host)",
      scope: "openid profile email",
      claims: #""sub":"12","preferred_username":"jane","nonce":"NONCE""#,
      user: nil,
      name: "jane@\(host)",
      api: "https://\(host)/api/v1/user"
    )
  }

  private static func gitLab(_ typed: String, _ host: String, device: Bool) -> ProviderRow {
    var row = openID(
      typed,
      issuer: "https://\(host)",
      scope: "openid profile api",
      claims: device
        ? #""sub":"12","nickname":"jane""# : #""sub":"12","nickname":"jane","nonce":"NONCE""#,
      user: nil,
      name: "jane@\(host)",
      api: "https://\(host)/api/v4/user"
    )
    if device {
      row.options.append("--device")
      row.authorization = nil
      row.device = "https://\(host)/oauth/authorize_device"
      row.asks["client_id"] = "client"
    }
    return row
  }

  private static func house(_ typed: String, _ issuer: String) -> ProviderRow {
    openID(
      typed,
      issuer: issuer,
      scope: typed.hasPrefix("keycloak")
        ? "openid profile email" : "openid profile email offline_access",
      claims: #""sub":"u1","preferred_username":"jane","email":"jane@example.com","nonce":"NONCE""#,
      user: nil,
      name: typed.hasPrefix("auth0") ? "jane@example.com" : "jane@login.example",
      api: "https://login.example/api"
    )
  }

  /// Every provider that acct comes with, but for the one whose passwords are made by hand.
  static let all: [ProviderRow] = [
    gitHub, enterprise, gitLab("gitlab", "gitlab.com", device: false),
    gitLab("gitlab:git.example", "git.example", device: true), git("codeberg", "codeberg.org"),
    git("gitea:tea.example", "tea.example"), google, microsoft, mastodon, bitbucket, atlassian, slack, spotify, discord,
    house("auth0:login.example", "https://login.example/"), house("okta:login.example", "https://login.example"),
    house("keycloak:login.example/main", "https://login.example/realms/main"),
  ]
}
