import AcctPorts
import Glibc
import LiveSystem
import Testing

/// Keys that are read beside other work, and what else goes on at the terminal then.
@Suite("Keys of a terminal", .timeLimit(.minutes(2)))
final class KeysTests: Sendable {
  private let terminal: PseudoTerminal
  private let descriptor: Int32

  init() throws {
    terminal = try PseudoTerminal()
    descriptor = unsafe open(terminal.device, O_RDWR | O_NOCTTY)
    try #require(descriptor >= 0)
  }

  deinit { close(descriptor) }

  @Test("A key arrives without Enter and without echo, and the terminal is then as before")
  func key() async {
    let keys = Terminal.live(device: terminal.device, input: descriptor).keys
    async let first = Task { () -> Keystroke? in
      for await key in keys() { return key }
      return nil
    }.value
    while terminal.echoes { await Task.yield() }
    terminal.type("c")
    #expect(await first == .text("c"))
    #expect(terminal.echoes)
  }

  @Test("Keys end when the reader is cancelled, and the terminal is then as before")
  func cancelled() async {
    let keys = Terminal.live(device: terminal.device, input: descriptor).keys
    let reading = Task { for await _ in keys() {} }
    while terminal.echoes { await Task.yield() }
    reading.cancel()
    await reading.value
    #expect(terminal.echoes)
  }

  @Test("Without a terminal there are no keys")
  func none() async throws {
    let file = unsafe open("/dev/null", O_RDONLY)
    defer { close(file) }
    for await key in Terminal.live(input: file).keys() { Issue.record("\(key) was not pressed") }
  }

  @Test("A text goes to the terminal's clipboard in base64")
  func copy() throws {
    let copy = try #require(Streams.live(error: descriptor).copy)
    for (text, coded) in [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("ü?>", "w7w/Pg==")] {
      copy(text)
      #expect(terminal.screen(until: "\u{07}") == "\u{1B}]52;c;\(coded)\u{07}")
    }
    #expect(Streams.live(error: -1).copy == nil)
  }

  @Test("A line that is replaced does not take the place of an open question")
  func question() async throws {
    let passing = try #require(Streams.live(error: descriptor).passing)
    let terminal = terminal
    async let answer = onDedicatedThread { Terminal.live(device: terminal.device).ask("name: ") }
    _ = await onDedicatedThread { terminal.screen(until: "name: ") }
    passing("waiting")
    terminal.type("alice\n")
    #expect(await answer == "alice")
    #expect(terminal.screen(until: "alice\r\n")?.contains("waiting") == false)
    passing("waiting")
    #expect(terminal.screen(until: "waiting") != nil)
  }
}
