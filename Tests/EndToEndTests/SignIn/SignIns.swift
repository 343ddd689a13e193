import AcctTestSupport
import StrictJSON
import Testing

extension AcctHome {
  /// A sign-in at the server, with a stand-in for the user's browser.
  ///
  /// - Parameters:
  ///   - server: Where.
  ///   - mood: What the user does in the browser; `nil` for no browser.
  ///   - options: More options of `acct add`.
  /// - Returns: The command line.
  func signIn(at server: StrictServer, browser mood: String? = "approve", _ options: String...) -> ChildProcess {
    var command = command(
      ["add", "--issuer", server.issuer, "--client-id", "acct-test", "--resource", server.resource]
        + (mood == nil ? ["--no-browser"] : []) + options
    )
    // One that fails has a second for it; one that does nothing would be looked for when the test ends.
    let isAwaited = ["fail", "nothing"].contains(mood)
    command.environment["BROWSER"] = isAwaited ? StrictServer.browser : StrictServer.desktopBrowser
    command.environment["STRICT_BROWSER"] = mood
    return command
  }

  /// Makes a request to the resource server with the header lines that acct prints for it.
  ///
  /// - Returns: The HTTP status.
  func use(_ server: StrictServer, _ path: String = "/resource") async throws -> String {
    let url = server.resource + path
    let header = try await acct("header", url)
    try #require(header.status == 0, "\(header.errorText)")
    let answer = try await ChildProcess(
      "curl",
      ["-sS", "--noproxy", "*", "-H", "@-", "-o", "/dev/null", "-w", "%{http_code}", url],
      input: header.text
    ).run()
    try #require(answer.status == 0, "\(answer.errorText)")
    return answer.text
  }
}

/// A sign-in that waits for its user, without a browser of its own.
struct WaitingSignIn {
  let process: RunningProcess
  /// Where it sends the user, as it stands alone on a line.
  let address: String

  /// Starts a sign-in, and returns when it waits.
  init(_ command: ChildProcess) async throws { try await self.init(try RunningProcess(command)) }

  /// Takes a sign-in that has been started, and returns when it waits.
  init(_ process: RunningProcess) async throws {
    self.process = process
    let errors = process.standardError
    try await process.ready { Self.address(in: errors) != nil }
    address = try #require(Self.address(in: errors))
  }

  private static func address(in errors: CapturedFile) -> String? {
    let lines = String(decoding: errors.contents(), as: UTF8.self).split(separator: "\n")
    // The last line may still be in the writing; what follows the address tells that it is whole.
    return lines.dropLast().first { $0.hasPrefix("http://") }.map(String.init)
  }

  /// What it has said so far.
  var said: String { String(decoding: process.standardError.contents(), as: UTF8.self) }

  /// Waits until it says something.
  func waitUntil(saying words: String) async throws { try await process.ready { said.contains(words) } }

  /// The callback address at which the user's browser ends, without calling it.
  func callback() async throws -> String {
    let folder = try TemporaryFolder()
    var browser = ChildProcess(StrictServer.browser, [address])
    browser.environment["STRICT_BROWSER"] = "write-callback"
    browser.environment["STRICT_BROWSER_FILE"] = "\(folder.path)/callback"
    let signedIn = try await browser.run()
    try #require(signedIn.status == 0, "\(signedIn.errorText)")
    let file = try await ChildProcess("cat", ["\(folder.path)/callback"]).run()
    return String(file.text.dropLast())
  }
}
