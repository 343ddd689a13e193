import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// The whole way of a desktop: the browser opens the app's address with xdg-open(1), which runs what
/// is registered for its scheme.
@Suite("A backend's callback through the desktop")
struct BackendDesktopTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The command on a desktop: xdg-open asks nothing of the display but its name.
  private func onDesktop(_ command: ChildProcess) -> ChildProcess {
    var command = command
    command.environment.merge([
      "HOME": folder.path, "DISPLAY": ":none", "XDG_DATA_HOME": "\(folder.path)/data",
      "XDG_CONFIG_HOME": "\(folder.path)/config",
    ]) { $1 }
    return command
  }

  private func files() async throws -> String {
    try await ChildProcess("find", [folder.path, "-mindepth", "1"]).run().text
  }

  @Test("A sign-in by a browser that opens the callback works and leaves nothing behind", .timeLimit(.minutes(1)))
  func wholeWay() async throws {
    let scene = try await BackendScene()
    var command = onDesktop(
      scene.home.command(["add", "--backend", scene.backend.address, "--callback", "limit://auth", "alice.test"])
    )
    command.environment["BROWSER"] = StrictServer.browser
    command.environment["STRICT_BROWSER"] = "xdg-open"
    let ended = try await command.run()
    #expect(ended.status == 0, "\(ended.errorText)")
    try await scene.expectUsable()
    try await scene.expectNothingWrong()
    #expect(try await files() == "")
  }

  @Test("A program that opens a callback learns whether it was the right one")
  func answers() async throws {
    let scene = try await BackendScene()
    let input = try OpenInput()
    let waiting = try await waiting(scene, input)
    let right = try await waiting.callback()
    for (address, status) in [
      ("limit://other?code=x", 4), ("limit://auth?code=", 4), (right, 0), (right, 3),
    ] as [(String, Int32)] {
      let opened = try await onDesktop(ChildProcess("xdg-open", [address])).run()
      // After the end no sign-in waits, and there is no entry either: xdg-open knows no program
      // (3).
      #expect(opened.status == status, "\(address) \(opened.errorText)")
      if status == 0 { #expect(await waiting.process.ended() == 0, "\(waiting.said)") }
    }
    #expect(!waiting.said.contains("code="))
    try await scene.expectNothingWrong()
  }

  @Test("A sign-in through the desktop that a signal ends exits 3 and leaves nothing", arguments: [SIGINT, SIGTERM])
  func signal(number: Int32) async throws {
    let scene = try await BackendScene()
    let input = try OpenInput()
    let waiting = try await waiting(scene, input)
    #expect(try await files().contains("acct-callback-limit.desktop"))
    waiting.process.send(number)
    #expect(await waiting.process.ended() == 3, "\(waiting.said)")
    #expect(try await files() == "")
    try await scene.expectNothingKept()
  }

  @Test("A callback for a killed sign-in is reported as undelivered, and its desktop entry is removed")
  func killed() async throws {
    let scene = try await BackendScene()
    let input = try OpenInput()
    let waiting = try await waiting(scene, input)
    waiting.process.send(SIGKILL)
    _ = await waiting.process.ended()
    #expect(try await files().contains("acct-callback-limit.desktop"))
    let opened = try await onDesktop(ChildProcess("xdg-open", ["limit://auth?code=x"])).run()
    #expect(opened.status != 0)
    #expect(opened.errorText.contains("no sign-in is waiting for a callback"))
    #expect(!opened.errorText.contains("code=x"))
    #expect(try await !files().contains("acct-callback-limit.desktop"))
    #expect(try await !files().contains("mimeapps.list"))
  }

  /// A sign-in that waits for the desktop, and for its input.
  private func waiting(_ scene: BackendScene, _ input: OpenInput) async throws -> WaitingSignIn {
    let command = onDesktop(scene.pasted("--callback", "limit://auth"))
    return try await WaitingSignIn(input.feeding(command))
  }
}
