import AcctTestSupport
import Testing

/// Runs a command in 20 processes at once, each of which has to end well.
///
/// - Returns: What each has printed.
func inCrowd(_ command: ChildProcess) async throws -> [String] {
  try await withThrowingTaskGroup(of: ChildProcess.Output.self) { group in
    for _ in 0..<20 { group.addTask { try await command.run() } }
    return try await group.reduce(into: []) { printed, output in
      #expect(output.status == 0, "\(output.errorText)")
      printed.append(output.text)
    }
  }
}

extension AcctHome {
  /// The account's access token.
  func token() async throws -> String {
    let printed = try await acct("token")
    try #require(printed.status == 0, "\(printed.errorText)")
    return String(printed.text.dropLast())
  }

  /// Waits until the account's token, which lasts a second, has ended.
  func untilExpired() async throws {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(60)
    while try await acct("token", "--offline").status == 0 {
      try #require(clock.now < deadline, "the token of a second has not ended after a minute")
    }
  }
}

/// Makes a request with curl, with header lines on standard input, as people do.
///
/// - Parameters:
///   - url: The address.
///   - headers: The lines.
///   - options: More of its command line, such as `--user` or `--data`.
/// - Returns: The HTTP status, and the body.
/// - Throws: ``ProcessFailure``, ``GlewlwydFailure``.
func curl(_ url: String, headers: String = "", _ options: String...) async throws -> (status: String, body: String) {
  let answer = try await ChildProcess(
    "curl",
    ["--silent", "--show-error", "--header", "@-", "--write-out", "\n%{http_code}"] + options + [url],
    input: headers
  ).run()
  try answer.mustHaveWorked()
  let lines = answer.text.split(separator: "\n", omittingEmptySubsequences: false)
  return (String(lines[lines.count - 1]), lines.dropLast().joined(separator: "\n"))
}
