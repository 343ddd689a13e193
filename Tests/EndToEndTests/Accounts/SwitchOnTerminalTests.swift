import AcctTestSupport
import Glibc
import Testing

/// `acct switch` without a name, with a person at a real terminal.
@Suite("Switching on a terminal")
struct SwitchOnTerminalTests {
  private let terminal: ControllingTerminal
  private let home: AcctHome

  init() async throws {
    terminal = try ControllingTerminal()
    terminal.resize(columns: 60, rows: 20)
    home = try AcctHome(with: ["TERM": "xterm", "NO_COLOR": "1"])
    for name in ["alice", "bob", "carol"] {
      let credentials = """
        {"access_token":"opaque-\(name)","token_type":"Bearer","expires_in":3600,
        "handle":"\(name).example.com","issuer":"https://issuer.example"}
        """
      #expect(try await home.importing(credentials).status == 0)
    }
  }

  /// Starts the command from a shell, and returns when the terminal shows a text.
  ///
  /// The shell stays: the end of a session's leader makes a terminal ordinary again by itself.
  private func start(until text: String = "Esc cancels") async throws -> RunningProcess {
    var command = home.command(["switch"])
    command.arguments = ["-c", #""$@"; echo "ended $?"; read -r line"#, "sh", command.program] + command.arguments
    command.program = "sh"
    let process = try RunningProcess(terminal.controlling(command))
    try await process.ready { terminal.screen.contains(text) }
    return process
  }

  /// Waits for the command's end, sees how it left the terminal, and closes the shell.
  private func status(of process: RunningProcess) async throws -> Int? {
    let line = try await process.firstLine()
    #expect(terminal.isOrdinary)
    terminal.press("\n")
    _ = await process.ended()
    return Int(line.dropFirst("ended ".count))
  }

  private func child(of parent: pid_t) async throws -> pid_t {
    let file = "/proc/\(parent)/task/\(parent)/children"
    return try #require(pid_t(try await ChildProcess("cat", [file]).run().text.prefix { $0 != " " }))
  }

  private func active() async throws -> String { try await home.acct("token").text }

  @Test("The choice of switch takes arrow keys and Enter, erases its lines and restores the keyboard")
  func arrows() async throws {
    let process = try await start()
    #expect(!terminal.isOrdinary)
    #expect(terminal.screen.contains(">  3  *  carol.example.com"))
    // In both spellings of the key, of which the second comes in two parts.
    terminal.press("\u{1B}[A")
    try await process.ready { terminal.screen.contains(">  2     bob.example.com") }
    terminal.press("\u{1B}")
    terminal.press("OA\r")
    #expect(try await status(of: process) == 0)
    #expect(terminal.screen.contains("\r\u{1B}[5A\u{1B}[J"))
    #expect(String(decoding: process.standardOutput.contents(), as: UTF8.self) == "ended 0\n")
    #expect(try await active() == "opaque-alice\n")
  }

  @Test("The choice of switch finds an account by a part of its name in any UTF-8 characters")
  func typing() async throws {
    let process = try await start()
    terminal.press("bö\u{7F}")
    try await process.ready { terminal.screen.contains("find: bö") }
    terminal.press("ob\n")
    #expect(try await status(of: process) == 0)
    #expect(try await active() == "opaque-bob\n")
  }

  @Test(
    "The choice of switch at Esc, Ctrl-C or Ctrl-D exits 3, changes nothing, frees the keyboard",
    arguments: ["\u{1B}", "\u{3}", "\u{4}", "bob\u{3}"]
  )
  func cancelled(keys: String) async throws {
    let process = try await start()
    terminal.press(keys)
    #expect(try await status(of: process) == 3)
    #expect(try await active() == "opaque-carol\n")
  }

  @Test("The choice of switch ends at a signal and restores the keyboard", arguments: [SIGTERM, SIGHUP])
  func signalled(number: Int32) async throws {
    let process = try await start()
    #expect(!terminal.isOrdinary)
    // To the command alone: the test's own signals would end the shell as well.
    let shell = try await child(of: process.id)
    kill(try await child(of: shell), number)
    #expect(try await status(of: process) == 128 + Int(number))
    #expect(try await active() == "opaque-carol\n")
  }

  @Test("The choice of switch is a question in lines on a terminal without a size")
  func noSize() async throws {
    terminal.resize(columns: 0, rows: 0)
    let process = try await start(until: "switch to (number or name): ")
    terminal.press("1\n")
    #expect(try await status(of: process) == 0)
    #expect(try await active() == "opaque-alice\n")
  }
}
