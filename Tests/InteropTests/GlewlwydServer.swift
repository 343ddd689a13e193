import AcctTestSupport

/// A Glewlwyd of this test's own: an OAuth 2 server from another project.
///
/// It binds tokens to DPoP keys, checks the proofs that it is shown, wants authorization requests
/// pushed, and ends a session when one of its refresh tokens is used twice.
struct GlewlwydServer {
  private let folder: TemporaryFolder
  private let process: RunningProcess
  private let port: FreePort
  /// The only port that callbacks may go to: unlike RFC 8252, section 7.3, it compares ports, too.
  let redirectPort: FreePort

  var issuer: String { "http://127.0.0.1:\(port.number)/api/oidc" }
  /// Gives out the user's profile for a bound token with a proof for this very URL.
  var userInfo: String { "\(issuer)/userinfo" }

  var portNumber: UInt16 { port.number }
  /// Where it keeps what it knows, in SQLite's format.
  var database: String { "\(folder.path)/glewlwyd.db" }

  /// What it demands of clients besides; its own nature allows one of the two at a time.
  enum Demand: String, CaseIterable {
    /// Every proof holds a nonce.
    case nonces
    /// The pushed authorization request comes with a proof.
    case proofAtPAR
  }

  /// Starts a server, and returns when it serves.
  ///
  /// - Parameters:
  ///   - demand: What it demands of clients.
  ///   - tokenLife: How many seconds its access tokens last. An hour is beyond every buffer.
  /// - Throws: ``ProcessFailure``, ``GlewlwydFailure``.
  init(demanding demand: Demand = .proofAtPAR, tokenLife: Int = 3600) async throws {
    folder = try TemporaryFolder()
    port = try FreePort()
    process = try RunningProcess(
      ChildProcess("python3", [Product.source("Tests/InteropTests/Glewlwyd/serve.py"), folder.path, "\(port.number)"])
    )
    let port = port
    try await process.ready { port.isServed }
    redirectPort = try FreePort()
    let configured = try await python(
      "Tests/InteropTests/Glewlwyd/configure.py",
      "\(port.number)",
      "\(redirectPort.number)",
      "\(tokenLife)",
      demand.rawValue
    )
    try configured.mustHaveWorked()
  }

  /// Makes a request with header lines on standard input, as people do.
  ///
  /// - Returns: The HTTP status, and the body.
  func curl(_ url: String, headers: String) async throws -> (status: String, body: String) {
    let answer = try await ChildProcess(
      "curl",
      ["--silent", "--show-error", "--header", "@-", "--write-out", "\n%{http_code}", url],
      input: headers
    ).run()
    try answer.mustHaveWorked()
    let lines = answer.text.split(separator: "\n", omittingEmptySubsequences: false)
    return (String(lines[lines.count - 1]), lines.dropLast().joined(separator: "\n"))
  }

  func stop() async { await process.stop() }
}

/// A step at the server that has to work before acct is tried went wrong.
struct GlewlwydFailure: Error, CustomStringConvertible {
  let said: String
  var description: String { said }
}

extension ChildProcess.Output {
  /// Ends the test if a step did not work that is not the one on trial.
  func mustHaveWorked() throws(GlewlwydFailure) {
    guard status == 0 else { throw GlewlwydFailure(said: errorText) }
  }
}
