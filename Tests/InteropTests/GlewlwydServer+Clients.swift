import AcctTestSupport

/// What confidential clients do at a Glewlwyd.
extension GlewlwydServer {
  /// How a client of it authenticates; Glewlwyd rejects another way.
  enum Method: String, CaseIterable {
    case basic
    case post
  }

  /// Signs in with `acct add` as a confidential client.
  func signIn(to home: AcctHome, by method: Method, _ options: String...) async throws -> ChildProcess.Output {
    var adding = home.command(
      [
        "add", "--name", "work", "--issuer", issuer, "--client-id", "acct-\(method)", "--client-auth", method.rawValue,
        "--client-secret-file", "-", "--scope", "openid acct", "--redirect-port", "\(redirectPort.number)",
      ] + options,
      input: "made-up-secret\n"
    )
    adding.environment["BROWSER"] = Product.source("Tests/InteropTests/Glewlwyd/browser.py")
    return try await adding.run()
  }

  /// Makes an account of the client itself.
  func addClient(to home: AcctHome, by method: Method) async throws -> ChildProcess.Output {
    try await home.command(
      [
        "add", "--name", "work", "--issuer", issuer, "--client-id", "acct-\(method)", "--client-auth", method.rawValue,
        "--client-secret-file", "-", "--scope", "acct", "--grant", "client-credentials",
      ],
      input: "made-up-secret\n"
    ).run()
  }

  /// Revokes a token of the client `acct-basic` behind acct's back.
  func revoke(_ token: String) async throws {
    let answer = try await InteropTests.curl(
      "\(issuer)/revoke",
      "--user",
      "acct-basic:made-up-secret",
      "--data-urlencode",
      "token=\(token)"
    )
    guard answer.status == "200" else { throw GlewlwydFailure(said: answer.body) }
  }

  /// How many access tokens it has issued so far.
  func issued() async throws -> Int {
    let counted = try await ChildProcess("sqlite3", [database, "SELECT count(*) FROM gpo_access_token"]).run()
    try counted.mustHaveWorked()
    return Int(counted.text.dropLast()) ?? -1
  }

  /// Changes how many seconds its access tokens last, from now on.
  func setTokenLife(_ seconds: Int) async throws {
    let script = "Tests/InteropTests/Glewlwyd/lifetime.py"
    try await python(script, "\(portNumber)", "\(seconds)").mustHaveWorked()
  }
}
