import AcctCLI
import AcctConsole
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// The screens on standard error, and those of `acct add`.
extension ScreenTests {
  /// The widths of windows.
  static let widths: [Setting] = [.phone, .narrow, .small, .usual, .larger]

  /// Makes both streams a terminal of that width.
  private func show(_ setting: Setting) {
    set(setting)
    record.set("COLUMNS", to: setting.rawValue)
    record.showOnTerminal()
  }

  private var errors: String { record.err.map { $0 + "\n" }.joined() }

  @Test("The screen of acct add alone is as recorded", arguments: widths)
  func guidedAdd(setting: Setting) async throws {
    show(setting)
    record.press([])
    #expect(await record.acct("add") == 3)
    try expectScreen(errors, "add-\(setting.rawValue)")
    try expectFit(errors, setting)
  }

  @Test("The screen of a device sign-in is as recorded, with its QR code where that fits", arguments: widths)
  func device(setting: Setting) async throws {
    let address = "\(RecordedServer.issuer)/device?user_code=BCDF-GHJK"
    let start = HTTPResponse.json(
      """
      {"device_code":"made-up-device-code","user_code":"BCDF-GHJK","verification_uri":"\(RecordedServer.issuer)/device",
       "verification_uri_complete":"\(address)","expires_in":600,"interval":5}
      """
    )
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("a"))
    server.set("/start", start)
    let line = ["--issuer", RecordedServer.issuer, "--client-id", "client", "--device"]
    #expect(await record.run(["add", "--name", "work"] + line) == 0, "\(record.err)")
    record.clear()
    show(setting)
    record.press([])
    var world = record.world()
    world.streams.copy = { _ in }
    // As many modules as an address of 49 bytes takes.
    world.qrCode = QRCode { _ in (0..<29).map { row in (0..<29).map { (row * $0 + row + $0) % 3 == 0 } } }
    #expect(await Acct.run(["login"], in: world) == 0, "\(record.err)")
    try expectScreen(errors, "login-device-\(setting.rawValue)")
    try expectFit(errors, setting)
  }

  @Test("The screen of an error with a hint is as recorded", arguments: widths)
  func error(setting: Setting) async throws {
    #expect(await record.add(Handoffs.bearer(changing: ["expires_in": -7300])) == 0)
    record.clear()
    show(setting)
    #expect(await record.acct("header", "https://issuer.example/xrpc/app.bsky.feed.getTimeline") == 4, "\(record.err)")
    #expect(await record.run(["header", "https://elsewhere.example/v1/items"]) == 8)
    try expectScreen(errors, "error-\(setting.rawValue)")
    try expectFit(errors, setting)
  }

  @Test("The screen of doctor with problems is as recorded", arguments: widths)
  func doctor(setting: Setting) async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.add(Handoffs.bearer("bob", changing: ["expires_in": -7300])) == 0)
    try await record.keyring.lose([.accessToken])
    record.keyring.lock()
    record.clear()
    show(setting)
    #expect(await record.acct("doctor", "--offline") != 0)
    try expectScreen(record.out + errors, "doctor-\(setting.rawValue)")
    try expectFit(record.out + errors, setting)
  }

  @Test("The report of a bug is as recorded")
  func report() async throws {
    record.machine = Machine(
      kernel: "6.1.0-18-amd64",
      architecture: "x86_64",
      distribution: "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n",
      libc: "2.36",
      libraries: [
        ("libcurl.so.4", "libcurl.so.4.8.0"), ("libexpat.so.1", "libexpat.so.1.8.10"), ("libpq.so.5", nil),
        ("libqrencode.so.4", "libqrencode.so.4.1.1"), ("libsecret-1.so.0", "libsecret-1.so.0.0.0"),
      ]
    )
    for (name, value) in [
      ("XDG_CURRENT_DESKTOP", "GNOME"), ("XDG_SESSION_TYPE", "wayland"), ("TERM", "xterm-256color"),
      ("LANG", "de_DE.UTF-8"),
    ] {
      record.set(name, to: value)
    }
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.add(Handoffs.bearer("bob", changing: ["expires_in": -7300])) == 0)
    record.clear()
    #expect(await record.acct("doctor", "--report", "--offline") == 0)
    let lines = record.out.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first == "- acct: \(version)")
    try expectScreen(lines.dropFirst().joined(separator: "\n"), "doctor-report")
  }

  @Test("The help of acct add is as recorded", arguments: widths)
  func addHelp(setting: Setting) async throws {
    show(setting)
    #expect(await record.run(["add", "--help"]) == 0)
    try expectScreen(record.out, "add-help-\(setting.rawValue)")
    try expectFit(record.out, setting)
  }

  @Test("The help of acct add has every option, three examples, and fewer than 60 lines of 80 columns")
  func addHelpIsComplete() async throws {
    #expect(await record.run(["--experimental-dump-help"]) == 0)
    let root = try #require(try JSON(parsing: Array(record.out.utf8))["command"])
    let add = try #require(root["subcommands"]?.arrayValue?.first { $0["commandName"] == "add" })
    let names = (add["arguments"]?.arrayValue ?? []).flatMap { $0["names"]?.arrayValue ?? [] }
      .filter { $0["kind"] == "long" }.compactMap { $0["name"]?.stringValue }
    #expect(names.count > 50)
    record.clear()
    for line in [["add", "--help"], ["add", "-h"], ["help", "add"]] {
      record.clear()
      #expect(await record.run(line) == 0)
      let words = Set(record.out.split { " \n,[]()".contains($0) }.map(String.init))
      for name in names { #expect(words.contains("--\(name)"), "\(line): --\(name) is missing") }
    }
    let lines = record.out.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count < 60)
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(lines.count { $0.hasPrefix("  acct add ") } == 3)
    #expect(["sign-in:", "client:", "token:", "advanced:"].allSatisfy { lines.contains(Substring($0)) })
  }
}
