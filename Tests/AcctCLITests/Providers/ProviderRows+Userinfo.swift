import AcctModel
import StrictJSON

/// Servers where the userinfo, or a scope that is not named, decides what is known of the user.
extension ProviderRow {
  /// django-oauth-toolkit: it lists its scopes, and grants none to a request that names none.
  static let toolkit: ProviderRow = {
    var row = byIssuer(
      "https://dot.example/o",
      issuer: "https://dot.example/o",
      at: "https://dot.example/o",
      ["authorization": "/authorize/", "token": "/token/", "userinfo": "/userinfo/", "revocation": "/revoke_token/"],
      subject: "17",
      name: "17@dot.example",
      api: "https://dot.example/api",
      offers: ["scopes_supported": ["openid", "read", "write"]]
    )
    row.asks["scope"] = "openid"
    return row
  }()

  /// JupyterHub: no OpenID provider; its userinfo says who has signed in, and later whether the token works.
  static let hub: ProviderRow = {
    var row = byIssuer(
      "https://hub.example",
      issuer: "https://hub.example",
      at: "https://hub.example/hub/api",
      ["authorization": "/oauth2/authorize", "token": "/oauth2/token", "userinfo": "/user"],
      subject: "jane",
      name: "jane@hub.example",
      api: "https://hub.example/hub/api/users"
    )
    row.options = options(scope: "read:users", api: "https://hub.example")
    row.asks["scope"] = "read:users"
    row.answer = #"{"access_token":"at-made-up","token_type":"Bearer","refresh_token":"rt-made-up"}"#
    return row
  }()
}
