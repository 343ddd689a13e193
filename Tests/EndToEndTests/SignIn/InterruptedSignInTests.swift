import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// A sign-in that is interrupted while it waits for the user: Ctrl-C, a closed window, SIGTERM.
@Suite("Interrupted sign-ins")
struct InterruptedSignInTests {
  @Test(
    "A sign-in that a signal ends exits 3 and leaves nothing",
    arguments: [SIGINT, SIGTERM, SIGHUP],
    [nil, "nothing"]
  )
  func signal(number: Int32, browser: String?) async throws {
    let scene = try await Scene()
    let input = try OpenInput()
    let process = try await scene.start(browser: browser) { input.feeding($0) }
    process.send(number)
    let status = await process.ended()
    #expect(status == 3, "\(scene.said(by: process))")
    try await scene.expectNothingLeft()
  }

  @Test("A sign-in that Ctrl-C ends at a terminal exits 3 and leaves nothing")
  func controlC() async throws {
    let scene = try await Scene()
    let terminal = try ControllingTerminal()
    let process = try await scene.start(browser: nil) { terminal.controlling($0) }
    terminal.press("\u{3}")
    let status = await process.ended()
    #expect(status == 3, "\(scene.said(by: process))")
    try await scene.expectNothingLeft()
  }

  @Test("A sign-in whose window is closed leaves nothing", arguments: [nil, "nothing"])
  func closedWindow(browser: String?) async throws {
    let scene = try await Scene()
    let terminal = try ControllingTerminal()
    let process = try await scene.start(browser: browser) { terminal.controlling($0) }
    terminal.closeWindow()
    // By SIGHUP or by the end of its input, whichever it notices first; no message can be shown.
    #expect(await process.ended() != 0)
    try await scene.expectNothingLeft()
  }

  @Test("A device sign-in that Ctrl-C ends exits 3 and leaves nothing")
  func device() async throws {
    let scene = try await Scene()
    let input = try OpenInput()
    let process = try RunningProcess(input.feeding(scene.home.signIn(at: scene.server, browser: nil, "--device")))
    try await process.ready { scene.said(by: process).contains("enter this code") }
    process.send(SIGINT)
    let status = await process.ended()
    #expect(status == 3, "\(scene.said(by: process))")
    try await scene.expectNothingLeft()
  }
}

/// A home with one account, and what was in it before a second sign-in began.
private final class Scene {
  let server: StrictServer
  let home: AcctHome
  private let temporary: TemporaryFolder
  private let port: FreePort
  private let files: [String]

  init() async throws {
    server = try await StrictServer()
    home = try AcctHome()
    temporary = try TemporaryFolder()
    port = try FreePort()
    try await home.importExpired(from: server, ["dpop": true, "sub": "somebody-else"])
    files = try await home.files()
  }

  /// Starts a sign-in, and returns when it waits for the user.
  func start(browser: String?, _ setting: (ChildProcess) -> ChildProcess) async throws -> RunningProcess {
    let number = "\(port.number)"
    var command = home.signIn(at: server, browser: browser, "--redirect-port", number)
    command.environment["TMPDIR"] = temporary.path
    let process = try RunningProcess(setting(command))
    let words = browser == nil ? "or paste" : "it is open in your browser"
    try await process.ready { self.said(by: process).contains(words) }
    #expect(port.isServed)
    return process
  }

  func said(by process: RunningProcess) -> String { String(decoding: process.standardError.contents(), as: UTF8.self) }

  /// Asserts that there is no file, no item, no port and no process more than before.
  func expectNothingLeft() async throws {
    // Hints, such as nonces, are no trace of a sign-in: any command leaves them.
    #expect(try await home.files().filter { !$0.hasPrefix("run/nonces/") } == files)
    #expect(try await home.accounts().count == 1)
    #expect(!port.isServed)
    let left = try await ChildProcess("find", [temporary.path, "-mindepth", "1"]).run()
    #expect(left.text.isEmpty)
    // Whatever it started would have its environment; the one who looks has it on its input only.
    let alive = try await ChildProcess(
      "sh",
      ["-c", "exec grep -lsaF -f - /proc/[0-9]*/environ"],
      input: "\(temporary.path)\n"
    ).run()
    // Its status tells of processes that went while it looked, too.
    #expect(alive.text.isEmpty)
    try await server.expectNothingWrong()
  }
}
