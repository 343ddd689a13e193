import AcctTestSupport
import Glibc
import StrictJSON
import Testing

@Suite("The callback of a backend that hands over tokens")
struct BackendCallbackTests {
  @Test(
    "A callback with an app's own scheme is pasted, and after a forged one acct asks again",
    arguments: [[], ["--callback", "limit://auth"]]
  )
  func pasted(options: [String]) async throws {
    let scene = try await BackendScene()
    let input = try OpenInput()
    let command = scene.home.command(
      ["add", "--backend", scene.backend.address, "--no-browser", "alice.test"] + options
    )
    let waiting = try await WaitingSignIn(input.feeding(command))
    let callback = try await waiting.callback()
    #expect(callback.hasPrefix("limit://auth?code="))
    var forged = [
      "not an address": "not an address", "limit://auth": "no code",
      "limit://auth?code=": "no code", "\(callback)&code=x": "twice",
      callback.replacing("limit://auth", with: "https://app.example/callback"): "neither",
      callback.replacing("limit://", with: "limit://user@"): "not an address",
    ]
    if !options.isEmpty {
      forged[callback.replacing("limit:", with: "other:")] = "--callback"
      forged[callback.replacing("//auth", with: "//auth.evil")] = "--callback"
      forged[callback.replacing("limit://auth", with: "http://127.0.0.1/callback")] = "--callback"
    }
    for (address, words) in forged {
      let said = waiting.said
      try input.type(address)
      try await waiting.process.ready { waiting.said.dropFirst(said.count).hasSuffix("address\n") }
      #expect(waiting.said.dropFirst(said.count).contains(words), "\(address)")
    }
    try input.type("  \(callback) ")
    #expect(await waiting.process.ended() == 0, "\(waiting.said)")
    try await scene.expectUsable()
    // What was pasted holds a code.
    #expect(!waiting.said.contains("code="))
    try await scene.expectNothingWrong()
  }

  @Test("A callback is asked for although the browser opened, since its scheme may open nothing")
  func askedWithBrowser() async throws {
    let scene = try await BackendScene()
    let input = try OpenInput()
    let folder = try TemporaryFolder()
    var command = scene.home.command(["add", "--backend", scene.backend.address])
    command.environment["BROWSER"] = StrictServer.browser
    command.environment["STRICT_BROWSER"] = "write-callback"
    command.environment["STRICT_BROWSER_FILE"] = "\(folder.path)/callback"
    let process = try RunningProcess(input.feeding(command))
    let errors = process.standardError
    try await process.ready { String(decoding: errors.contents(), as: UTF8.self).contains("paste that address") }
    let file = try await ChildProcess("cat", ["\(folder.path)/callback"]).run()
    try input.type(String(file.text.dropLast()))
    let status = await process.ended()
    #expect(status == 0, "\(String(decoding: errors.contents(), as: UTF8.self))")
    try await scene.expectNothingWrong()
  }

  @Test("A forged callback at the listener is answered as unexpected, and the right one is taken")
  func heard() async throws {
    let scene = try await BackendScene()
    let input = try OpenInput()
    let command = try await scene.loopback(["--no-browser"])
    let waiting = try await WaitingSignIn(input.feeding(command))
    let callback = try await waiting.callback()
    let base = callback.prefix { $0 != "?" }
    for (address, status) in [
      ("\(base)", 400), ("\(base)?code=", 400), ("\(callback)&code=x", 400),
      ("\(base)/other?code=x", 404), (callback, 200),
    ] {
      #expect(try await scene.network.curl(address).status == status, "\(address)")
    }
    #expect(await waiting.process.ended() == 0, "\(waiting.said)")
    try await scene.expectNothingWrong()
  }

  @Test("A callback with a refusal shows the server's words", arguments: [true, false])
  func refused(isPasted: Bool) async throws {
    let scene = try await BackendScene()
    if isPasted {
      var command = scene.pasted("--json")
      command.input = Array("limit://auth?error=access_denied&error_description=no%0Away\n".utf8)
      let refusal = try scene.home.refusal(in: try await command.run())
      #expect(refusal.code == "authorizationRefused")
      #expect(refusal.message.contains("access_denied: no\\nway"))
    } else {
      var command = try await scene.loopback(["--json"])
      command.environment["STRICT_BROWSER"] = "deny"
      let refusal = try scene.home.refusal(in: try await command.run())
      #expect(refusal.status == 4)
      #expect(refusal.message.contains("access_denied: not today"))
    }
    #expect(try await !scene.backend.calls().contains("/api/auth/tokens"))
    try await scene.expectNothingKept()
  }

  @Test("A callback that does not come before the end of input exits 3")
  func endOfInput() async throws {
    let scene = try await BackendScene()
    var command = scene.pasted()
    command.input = Array("limit://auth?nothing=x\n".utf8)
    let ended = try await command.run()
    #expect(ended.status == 3, "\(ended.errorText)")
    #expect(ended.errorText.contains("there is no code"))
    try await scene.expectNothingKept()
  }

  @Test("A callback with a code that the backend does not know is rejected by the backend")
  func unknownCode() async throws {
    let scene = try await BackendScene()
    var command = scene.pasted("--json")
    command.input = Array("limit://auth?code=made-up\n".utf8)
    let refusal = try scene.home.refusal(in: try await command.run())
    #expect(refusal.code == "backendRefused")
    #expect(refusal.message.contains("invalid or used code"))
    try await scene.expectNothingKept()
  }

  @Test("A backend sign-in that a signal ends exits 3 and leaves nothing", arguments: [SIGINT, SIGTERM])
  func signal(number: Int32) async throws {
    let scene = try await BackendScene()
    let input = try OpenInput()
    let command = try await scene.loopback(["--no-browser"])
    let waiting = try await WaitingSignIn(input.feeding(command))
    waiting.process.send(number)
    #expect(await waiting.process.ended() == 3, "\(waiting.said)")
    try await scene.expectNothingKept()
  }

  @Test("A backend sign-in that Ctrl-C ends at a terminal exits 3 and leaves nothing")
  func controlC() async throws {
    let scene = try await BackendScene()
    let terminal = try ControllingTerminal()
    let waiting = try await WaitingSignIn(terminal.controlling(scene.pasted()))
    try await waiting.waitUntil(saying: "or paste")
    terminal.press("\u{3}")
    #expect(await waiting.process.ended() == 3, "\(waiting.said)")
    try await scene.expectNothingKept()
  }
}
