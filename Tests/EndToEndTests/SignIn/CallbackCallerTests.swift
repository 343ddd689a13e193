import AcctTestSupport
import StrictJSON
import Testing

/// The callback of a backend has no `state`: only its caller distinguishes it from a forged one.
@Suite("Callers of a backend's callback", .timeLimit(.minutes(2)))
struct CallbackCallerTests {
  @Test(
    "A callback that a page loads in the background is rejected, and the right one taken",
    arguments: [false, true]
  )
  func page(isSession: Bool) async throws {
    try await expectRefusals(isSession, "a web page loaded") { address in
      [
        "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Mode: cors", "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe", "Sec-Purpose: prefetch",
      ].map { fields in
        ChildProcess("curl", Self.curl + fields.split(separator: "\r\n").flatMap { ["-H", String($0)] } + [address])
      }
    }
  }

  @Test("A callback from a program of another user is rejected, and the right one taken", arguments: [false, true])
  func otherUser(isSession: Bool) async throws {
    let rootRights = try await ChildProcess.rootRights()
    try await expectRefusals(isSession, "not this user's") { address in
      [
        ChildProcess(
          "env",
          rootRights + ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "curl"] + Self.curl + [address]
        )
      ]
    }
  }

  private static let curl = ["-sS", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}"]

  /// Has forged callbacks, and errors, rejected while a sign-in waits, which then ends as it
  /// should.
  private func expectRefusals(
    _ isSession: Bool,
    _ words: String,
    _ forging: (_ address: String) -> [ChildProcess]
  ) async throws {
    let port = try FreePort()
    let base = "http://127.0.0.1:\(port.number)/callback"
    let input = try OpenInput()
    let home: AcctHome
    let command: ChildProcess
    // Both servers end when the last references to them are released.
    var sessions: SessionScene?
    var handoffs: BackendScene?
    if isSession {
      let scene = try await SessionScene(["callback": .string(base)])
      sessions = scene
      home = scene.home
      command = home.command(["add", "--session", scene.backend.address, "--callback", base, "--no-browser"])
    } else {
      let scene = try await BackendScene()
      handoffs = scene
      home = scene.home
      try await scene.backend.set(["callback": .string(base)])
      command = home.command(["add", "--backend", scene.backend.address, "--callback", base, "--no-browser"])
    }
    let waiting = try await WaitingSignIn(input.feeding(command))
    for query in [
      "code=ATTACKER", "error=access_denied",
      "session_token=Fe26.2*1*a*b*c*d*e*f*g&did=did:plc:mallory&handle=mallory.example.com",
    ] {
      for forged in forging("\(base)?\(query)") {
        let output = try await forged.run()
        #expect(output.text == "403", "\(query) \(output.errorText)")
      }
    }
    #expect(waiting.said.contains(words), "\(waiting.said)")
    let right =
      if let sessions { try await sessions.backend.callback(from: waiting.address) } else {
        try await waiting.callback()
      }
    // As a browser comes from the backend's page.
    let browser = ChildProcess(
      "curl",
      Self.curl + [
        "-H", "Sec-Fetch-Mode: navigate", "-H", "Sec-Fetch-Dest: document", "-H", "Sec-Fetch-Site: cross-site", right,
      ]
    )
    #expect(try await browser.run().text == "200")
    #expect(await waiting.process.ended() == 0, "\(waiting.said)")
    let account = try await home.account()
    let (handle, did) = (account["handle"]?.stringValue, account["did"]?.stringValue)
    let name = account["name"]?.stringValue
    #expect(handle?.isEmpty == false && did?.hasPrefix("did:plc:") == true)
    #expect(waiting.said.contains("added \(name ?? ""): \(handle ?? ""), \(did ?? "")\n"))
    #expect(!waiting.said.contains("ATTACKER"))
    withExtendedLifetime(handoffs) {}
  }

  @Test("A question on the terminal precedes storing an identity that was not named", arguments: ["n", "y"])
  func asked(_ answer: String) async throws {
    let scene = try await BackendScene()
    let terminal = try ControllingTerminal()
    let command = try await scene.loopback(["--no-browser"])
    let waiting = try await WaitingSignIn(terminal.controlling(command))
    let right = try await waiting.callback()
    #expect(try await scene.network.curl(right).status == 200)
    try await waiting.process.ready { terminal.screen.contains("[y/N]") }
    #expect(terminal.screen.contains("did:plc:"))
    terminal.press("\(answer)\r")
    #expect(await waiting.process.ended() == (answer == "y" ? 0 : 3), "\(waiting.said)")
    if answer == "n" { try await scene.expectNothingKept() }
  }
}
