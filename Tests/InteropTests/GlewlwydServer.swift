import AcctTestSupport

/// A Glewlwyd of this test's own: an OAuth 2 server that nobody here wrote.
///
/// It binds tokens to DPoP keys, and checks the proofs that it is shown.
struct GlewlwydServer {
  private let folder: TemporaryFolder
  private let process: RunningProcess
  private let port: FreePort

  var issuer: String { "http://127.0.0.1:\(port.number)/api/oidc" }
  /// Gives out the user's profile for a bound token with a proof for this very URL.
  var userInfo: String { "\(issuer)/userinfo" }

  /// Starts a server, and returns when it serves.
  init() async throws {
    folder = try TemporaryFolder()
    port = try FreePort()
    let number = String(port.number)
    process = try RunningProcess(
      ChildProcess(
        "python3",
        [Product.source("Tests/InteropTests/Glewlwyd/serve.py"), folder.path, number]
      )
    )
    let port = port
    try await process.ready { port.isServed }
    let configured = try await python("Tests/InteropTests/Glewlwyd/configure.py", number)
    guard configured.status == 0 else { throw GlewlwydFailure(said: configured.errorText) }
  }

  /// What a sign-in with a key made elsewhere handed over, as JSON for `add --import`.
  func handoff() async throws -> String {
    let signedIn = try await python("Tests/InteropTests/Glewlwyd/sign_in.py", issuer)
    guard signedIn.status == 0 else { throw GlewlwydFailure(said: signedIn.errorText) }
    return signedIn.text
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
    guard answer.status == 0 else { throw GlewlwydFailure(said: answer.errorText) }
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
