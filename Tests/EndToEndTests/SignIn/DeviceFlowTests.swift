import AcctTestSupport
import StrictJSON
import Testing

/// `acct add --issuer --device`, where the user types a code in somewhere else.
@Suite("Signing in on another device")
struct DeviceFlowTests {
  @Test("A device sign-in shows address and code alone on a line, slows down when told and signs in")
  func slowDown() async throws {
    let server = try await StrictServer(["device_interval": 1, "rs_nonce": false])
    let home = try AcctHome()
    try await server.fault([
      "endpoint": "token", "kind": "error", "error": "slow_down", "skip": 2,
      "grant_type": .string(Self.grant),
    ])
    let process = try RunningProcess(home.signIn(at: server, browser: nil, "--device"))
    try await process.ready { lines(of: process).count >= 6 }
    #expect(lines(of: process).contains("\(server.issuer)/device"))
    #expect(lines(of: process)[3].wholeMatch(of: /[A-Z]{4}-[A-Z]{4}/) != nil)
    #expect(lines(of: process)[5] == "\(server.issuer)/device?user_code=\(lines(of: process)[3])")

    // The challenge for a nonce, a question that comes too early, and the one that is too fast.
    let asked: JSON = ["endpoint": "token", "count": 3, "timeout": 60]
    #expect(try await server.control("wait", asked)["reached"] == true)
    try await server.control("device", ["user_code": .string(lines(of: process)[3])])
    #expect(await process.ended() == 0, "\(lines(of: process))")

    let questions = try await server.requests(to: "token")
    #expect(questions.map { $0["status"] } == [400, 400, 400, 200])
    // Section 3.5 of RFC 8628: 5 seconds more, from then on.
    let times = questions.compactMap { $0["at"]?.numberValue?.double }
    try #require(times.count == 4)
    #expect(times[3] - times[2] >= 5.9)
    #expect(try await server.counts()["slow_downs"] == 0)
    #expect(try await home.use(server) == "200")
    try await server.expectNothingWrong()
  }

  @Test("The address with the code is a link on a terminal, and not with NO_COLOR", arguments: [false, true])
  func link(isPlain: Bool) async throws {
    let server = try await StrictServer(["device_interval": 1])
    let terminal = try ControllingTerminal()
    terminal.resize(columns: 120, rows: 40)
    let home = try AcctHome()
    var command = home.signIn(at: server, browser: nil, "--device")
    command.environment["TERM"] = "xterm"
    if isPlain { command.environment["NO_COLOR"] = "1" }
    // The shell stays until the screen has been read: with it goes what was not read.
    command.arguments =
      ["-c", #""$@" 2>/dev/tty; echo "ended $?"; read -r line"#, "sh", command.program]
      + command.arguments
    command.program = "sh"
    let process = try RunningProcess(terminal.controlling(command))
    // Each question comes after all that is shown.
    #expect(
      try await server.control("wait", ["endpoint": "token", "count": 1, "timeout": 60])["reached"] == true
    )
    try await server.control("device", ["action": "deny"])
    #expect(try await process.firstLine() == "ended 4")
    let screen = terminal.screen
    terminal.press("\n")
    _ = await process.ended()
    let address = try #require(screen.firstMatch(of: /http:[^ \r\u{1B}]*\?user_code=[A-Z]{4}-[A-Z]{4}/)).output
    let link = "\u{1B}]8;;\(address)\u{1B}\\\(address)\u{1B}]8;;\u{1B}\\"
    #expect(screen.contains("\r\n\(isPlain ? String(address) : link)\r\n"))
    #expect(screen.contains("\u{1B}]8") != isPlain)
  }

  @Test("A denied or expired device code stores nothing", arguments: ["deny", "expire"])
  func refused(action: String) async throws {
    let server = try await StrictServer(["device_interval": 1])
    let home = try AcctHome()
    let process = try RunningProcess(home.signIn(at: server, browser: nil, "--device"))
    try await process.ready { lines(of: process).count >= 4 }
    try await server.control("device", ["action": .string(action)])
    #expect(await process.ended() == 4, "\(lines(of: process))")
    #expect(try await home.accounts().isEmpty)
    try await server.expectNothingWrong()
  }

  @Test("A device authorization answer that is not declared as JSON is read by its body")
  func mislabelled() async throws {
    let server = try await StrictServer(["device_interval": 1, "device_approve_after": 1])
    let home = try AcctHome()
    try await server.fault(["endpoint": "device_authorization", "kind": "mislabelled"])
    let added = try await home.signIn(at: server, browser: nil, "--device").run()
    #expect(added.status == 0, "\(added.errorText)")
    #expect(try await home.accounts().count == 1)
    try await server.expectNothingWrong()
  }

  private static let grant = "urn:ietf:params:oauth:grant-type:device_code"

  /// What it has said, line by line.
  private func lines(of process: RunningProcess) -> [String] {
    String(decoding: process.standardError.contents(), as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
