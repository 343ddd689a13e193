import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// The screens, from a narrow window to a wide one; the files in `Screens` are for people to read.
@Suite("Screens")
struct ScreenTests {
  let record = RecordedWorld()

  /// What a screen is laid out for.
  enum Setting: String, CaseIterable, CustomTestStringConvertible {
    case phone = "28"
    case narrow = "40"
    case small = "60"
    case usual = "80"
    case larger = "120"
    case wide = "200"
    case colour = "80-colour"
    case plain = "80-c-locale"
    case piped = "piped"

    var testDescription: String { rawValue }
    var columns: Int? {
      switch self {
      case .phone: 28
      case .narrow: 40
      case .small: 60
      case .usual, .colour, .plain: 80
      case .larger: 120
      case .wide: 200
      case .piped: nil
      }
    }
  }

  func set(_ setting: Setting) {
    record.set("LANG", to: setting == .plain ? "C" : "de_DE.UTF-8")
    record.set("TERM", to: "xterm-256color")
    if setting != .colour && setting != .piped { record.set("NO_COLOR", to: "1") }
    record.setColumns(setting.columns)
  }

  private func addAccounts() async {
    for (handoff, name) in [
      (Handoffs.dpop(), "alice.example.com"),
      (Handoffs.bearer("bob", changing: ["expires_in": 120]), "bob.example.com"),
      (
        Handoffs.dpop(
          "rotraut-wieland.photography.community.example",
          changing: ["pds": "https://morel.eu-central.host.pds.example", "expiresIn": 7200]
        ), "rotraut-wieland.photography.community.example"
      ),
      (Handoffs.bearer("yamada", changing: ["expires_in": 100_000_000]), "山田太郎"),
      (Handoffs.bearer("zoe", changing: ["expires_in": -7200, "refresh_token": "r"]), "zoe\u{308}🚀"),
    ] {
      #expect(await record.add(handoff, "--name", name) == 0)
    }
    #expect(await record.acct("switch", "alice.example.com") == 0)
    record.clear()
  }

  @Test("The screen of list is as recorded", arguments: Setting.allCases)
  func list(setting: Setting) async throws {
    await addAccounts()
    set(setting)
    #expect(await record.acct("list") == 0)
    try expectScreen(record.out, "list-\(setting.rawValue)")
    try expectFit(record.out, setting)
  }

  @Test("The screen of status is as recorded", arguments: Setting.allCases)
  func status(setting: Setting) async throws {
    let handoff = Handoffs.dpop(
      changing: [
        "displayName": "Alice 👩‍🚀 山田 \u{202E}gnitrever",
        "scope": "atproto transition:generic transition:chat.bsky account:email?action=read",
      ]
    )
    #expect(await record.add(handoff) == 0)
    set(setting)
    #expect(await record.acct("status") == 0)
    try expectScreen(record.out, "status-\(setting.rawValue)")
    try expectFit(record.out, setting)
  }

  @Test("The screen of status with a problem is as recorded", arguments: [Setting.narrow, .usual, .colour])
  func problem(setting: Setting) async throws {
    #expect(await record.add(Handoffs.bearer(changing: ["expires_in": -7300])) == 0)
    set(setting)
    #expect(await record.acct("status") == 4)
    try expectScreen(record.out, "status-problem-\(setting.rawValue)")
    try expectFit(record.out, setting)
  }

  @Test("The screen of acct alone before the first account is as recorded", arguments: Setting.allCases)
  func firstRun(setting: Setting) async throws {
    set(setting)
    #expect(await record.run([]) == 0)
    try expectScreen(record.out, "first-run-\(setting.rawValue)")
    try expectFit(record.out, setting)
    #expect(record.err.isEmpty)
  }

  @Test("The screen of acct alone is as recorded", arguments: Setting.allCases)
  func home(setting: Setting) async throws {
    await addAccounts()
    set(setting)
    #expect(await record.run([]) == 0)
    try expectScreen(record.out, "home-\(setting.rawValue)")
    try expectFit(record.out, setting)
  }

  @Test(
    "The screen of switch is as recorded: at first, two keys down and with a part of a name",
    arguments: Setting.allCases.filter { $0 != .piped }
  )
  func choice(setting: Setting) async throws {
    await addAccounts()
    set(setting)
    record.press([.down, .text("j"), .text("e"), .text("x"), .cancel])
    #expect(await record.acct("switch") == 3)
    let shown = [0, 2, 4].map { record.frames[$0].map { $0 + "\n" }.joined() }
    try expectScreen(shown.joined(separator: "\n"), "switch-\(setting.rawValue)")
    for frame in shown { try expectFit(frame, setting) }
  }

  /// Asserts by its own count that no line is too wide, and that no forbidden character is there.
  func expectFit(_ shown: String, _ setting: Setting) throws {
    if setting != .colour { #expect(!shown.contains("\u{1B}")) }
    if setting == .plain { #expect(shown.utf8.allSatisfy { $0 < 0x80 }) }
    guard let columns = setting.columns else { return }
    let codes = /\u{1B}\[[0-9;]*m/
    for line in shown.split(separator: "\n") {
      let text = String(line).replacing(codes, with: "")
      let width = text.reduce(0) { $0 + ("山田太郎🚀👩‍🚀".contains($1) ? 2 : 1) }
      // One word that is wider than the screen stands out: cut in two it could not be copied.
      // What is to be pasted stays whole, too.
      let words = text.replacing(/`[^`]*`/, with: "`").split(separator: " ").count
      let isWhole = text.contains(#/^(usage: | *)acct /#) || words <= (text.hasPrefix(" ") ? 1 : 2)
      #expect(width <= columns || isWhole, "\(text)")
    }
  }
}
