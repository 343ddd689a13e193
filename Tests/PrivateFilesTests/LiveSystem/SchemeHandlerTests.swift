import AcctModel
import Secrets
import AcctPorts
import Glibc
import LiveSystem
import Testing

/// The desktop's files, and the socket behind them, for a user of a test's own.
@Suite("The live handler of app schemes")
struct SchemeHandlerTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private var handler: SchemeHandler {
    let variables = [
      "ACCT_HOME": scratch.path(of: "home"), "XDG_DATA_HOME": scratch.path(of: "data"),
      "XDG_CONFIG_HOME": scratch.path(of: "config"),
    ]
    let variable: @Sendable (String) -> String? = { variables[$0] }
    return .live(Folders(variable), variable)
  }

  private let entry = "data/applications/acct-callback-limit.desktop"
  private let list = "config/mimeapps.list"

  @Test("The scheme handler delivers an address and returns the answer")
  func handedOver() async throws {
    let handler = handler
    let reception = try await handler.register("limit")
    async let answer = handler.deliver(Secret("LIMIT://auth?code=c"), nil)
    let handed = try #require(await reception.next())
    #expect(handed.address == Secret("LIMIT://auth?code=c"))
    handed.answer(.done)
    #expect(try await answer == .done)
    await reception.close()
    await #expect(throws: SchemeHandlerFailure.nobodyWaits) {
      try await handler.deliver(Secret("limit://auth?code=c"), nil)
    }
  }

  @Test("The scheme handler finds the sign-in by the folder that its entry names, in any environment")
  func folder() async throws {
    let reception = try await handler.register("limit")
    let line = try #require(scratch.text(of: entry)?.split(separator: "\n").first { $0.hasPrefix("X-Acct-Folder=") })
    let elsewhere = SchemeHandler.live(Folders { _ in "/nonexistent" }) { _ in "/nonexistent" }
    let place = String(line.dropFirst("X-Acct-Folder=".utf8.count))
    async let answer = elsewhere.deliver(Secret("limit:x"), place)
    try #require(await reception.next()).answer(.unexpected)
    #expect(try await answer == .unexpected)
    await reception.close()
  }

  @Test("The scheme handler is private to the user and to one sign-in at a time")
  func exclusive() async throws {
    let reception = try await handler.register("limit")
    #expect(scratch.mode(of: "home/run/callbacks") == 0o700)
    #expect(scratch.mode(of: "home/run/callbacks/limit") == 0o600)
    await #expect(throws: SchemeHandlerFailure.failed(reason: "another sign-in waits for them")) {
      _ = try await handler.register("limit")
    }
    let other = try await handler.register("anchor")
    await other.close()
    // The other one took nothing away.
    #expect(scratch.mode(of: entry) != nil)
    await reception.close()
  }

  @Test("The scheme handler removes everything that it created")
  func nothingLeft() async throws {
    let reception = try await handler.register("limit")
    #expect(scratch.text(of: entry)?.contains("callback --folder") == true)
    #expect(scratch.text(of: list)?.contains("x-scheme-handler/limit=acct-callback") == true)
    await reception.close()
    #expect(scratch.entries() == ["home"])
    #expect(scratch.entries(of: "home/run/callbacks") == [])
  }

  @Test(
    "The scheme handler restores the list of defaults byte for byte",
    arguments: [
      "", "[Default Applications]\n", "[Default Applications]\nx-scheme-handler/limit=old.desktop",
      "# a comment\r\n[Added Associations]\nx-scheme-handler/limit=x.desktop;\n",
      "[Default Applications]\n\n x-scheme-handler/limit = old.desktop;older.desktop;\ntext/x=a.desktop\n[Z]",
    ]
  )
  func restored(text: String) async throws {
    try scratch.makeFolder("config")
    try scratch.write(text, to: list, mode: 0o640)
    let reception = try await handler.register("limit")
    let changed = try #require(scratch.text(of: list))
    let value = text.contains("=old") || text.contains("= old") ? ";old.desktop;" : ";"
    #expect(changed.contains("x-scheme-handler/limit=acct-callback-limit.desktop\(value)"))
    #expect(scratch.mode(of: list) == 0o640)
    await reception.close()
    #expect(scratch.text(of: list) == text)
    #expect(scratch.mode(of: list) == 0o640)
  }

  @Test("The scheme handler keeps what others changed meanwhile, and a list that is a link")
  func changedMeanwhile() async throws {
    try scratch.makeFolder("config")
    try scratch.makeFolder("dotfiles")
    let old = "[Default Applications]\nx-scheme-handler/limit=old.desktop;\n"
    try scratch.write(old, to: "dotfiles/list")
    try scratch.link(list, to: "../dotfiles/list")
    let reception = try await handler.register("limit")
    let changed = try #require(scratch.text(of: "dotfiles/list"))
    try scratch.write(changed + "text/x=new.desktop;\n", to: "dotfiles/list")
    await reception.close()
    #expect(scratch.text(of: list) == old + "text/x=new.desktop;\n")
    #expect(scratch.text(of: "dotfiles/list") == old + "text/x=new.desktop;\n")
    #expect(scratch.entries(of: "config") == ["mimeapps.list"])
  }

  @Test("The scheme handler cleans up after a killed process and leaves other entries alone")
  func leftovers() async throws {
    try scratch.makeFolder("data")
    try scratch.makeFolder("data/applications")
    try scratch.makeFolder("config")
    let others = ["acct-callback-mine.desktop", "other.desktop"]
    for name in others { try scratch.write("[Desktop Entry]\n", to: "data/applications/\(name)") }
    try scratch.write("X-Acct-Folder=\(scratch.path(of: "gone"))\n", to: entry)
    try scratch.write(
      "[Default Applications]\nx-scheme-handler/limit=acct-callback-limit.desktop;old.desktop;\n",
      to: list
    )
    let reception = try await handler.register("anchor")
    #expect(scratch.mode(of: entry) == nil)
    await reception.close()
    #expect(scratch.entries(of: "data/applications") == Set(others))
    #expect(
      scratch.text(of: list) == "[Default Applications]\nx-scheme-handler/limit=old.desktop;\n"
    )
    await #expect(throws: SchemeHandlerFailure.self) { _ = try await handler.register("mine") }
    #expect(scratch.text(of: "data/applications/\(others[0])") == "[Desktop Entry]\n")
  }

  @Test("The scheme handler creates no home for a user without one, and then leaves no socket")
  func homeless() async throws {
    let variables = ["ACCT_HOME": scratch.path(of: "home"), "HOME": scratch.path(of: "nowhere")]
    let variable: @Sendable (String) -> String? = { variables[$0] }
    let handler = SchemeHandler.live(Folders(variable), variable)
    await #expect(throws: SchemeHandlerFailure.self) { _ = try await handler.register("limit") }
    #expect(scratch.entries() == ["home"])
    #expect(scratch.entries(of: "home/run/callbacks") == [])
  }
}
