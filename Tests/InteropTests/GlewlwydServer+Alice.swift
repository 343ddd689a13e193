import AcctTestSupport

/// What alice does at her server, with acct and without it.
extension GlewlwydServer {
  /// Signs in with `acct add`; a script is alice and her browser.
  func signIn(to home: AcctHome, _ options: String...) async throws -> ChildProcess.Output {
    var adding = adding(to: home, "--redirect-port", "\(redirectPort.number)")
    adding.arguments += options
    adding.environment["BROWSER"] = Product.source("Tests/InteropTests/Glewlwyd/browser.py")
    return try await adding.run()
  }

  /// Signs in with the device flow: alice opens the page on another device and consents there.
  func signInOnDevice(to home: AcctHome) async throws -> (status: Int32, errorText: String) {
    var adding = adding(to: home, "--device")
    // To open a browser on this device would be wrong, and fails.
    adding.environment["BROWSER"] = "/nonexistent"
    let waiting = try RunningProcess(adding)
    func said() -> String { String(decoding: waiting.standardError.contents(), as: UTF8.self) }
    func shown() -> [Substring] {
      // The last line may still be in the writing.
      said().split(separator: "\n", omittingEmptySubsequences: false).dropLast().filter { !$0.hasPrefix("acct: ") }
    }
    try await waiting.ready { shown().count >= 2 }
    let (page, code) = (shown()[0], shown()[1])
    try await python("Tests/InteropTests/Glewlwyd/browser.py", "\(page)?code=\(code)").mustHaveWorked()
    return (await waiting.ended(), said())
  }

  private func adding(to home: AcctHome, _ options: String...) -> ChildProcess {
    let server = ["--issuer", issuer, "--client-id", "acct-cli", "--scope", "openid acct"]
    return home.command(["add"] + server + options)
  }

  /// What a sign-in with a key made elsewhere handed over, as JSON for `add --import`.
  func handoff() async throws -> String {
    let signedIn = try await python("Tests/InteropTests/Glewlwyd/sign_in.py", issuer)
    try signedIn.mustHaveWorked()
    return signedIn.text
  }

  /// Uses the refresh token of a handoff behind acct's back.
  ///
  /// - Returns: The HTTP status, and the body.
  func spend(_ handoff: String) async throws -> (status: Substring, body: Substring) {
    let spent = try await python("Tests/InteropTests/Glewlwyd/spend.py", issuer, input: handoff)
    try spent.mustHaveWorked()
    let status = spent.text.prefix { $0 != "\n" }
    return (status, spent.text[status.endIndex...].dropFirst())
  }
}
