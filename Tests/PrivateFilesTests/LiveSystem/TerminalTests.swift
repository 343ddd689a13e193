import Secrets
import AcctPorts
import Glibc
import LiveSystem
import Synchronization
import Testing

@Suite("The live terminal", .serialized)
struct LiveTerminalTests {
  let keyboard: PseudoTerminal
  let terminal: Terminal

  init() throws {
    keyboard = try PseudoTerminal()
    terminal = .live(device: keyboard.device)
  }

  /// Types once the question stands on the screen, as a person would.
  private func answer<Answer: Sendable>(
    _ text: String,
    _ ask: @escaping @Sendable (Terminal) -> Answer
  ) async throws -> (answer: Answer, hadEcho: Bool) {
    let asking = Task.detached { [terminal] in ask(terminal) }
    _ = try #require(keyboard.screen(until: "Question: "))
    let hadEcho = keyboard.echoes
    keyboard.type(text)
    return (await asking.value, hadEcho)
  }

  @Test("The terminal asks for a line and shows what is typed")
  func line() async throws {
    let (answer, hadEcho) = try await answer("grün\n") { $0.ask("Question: ") }
    #expect(answer == "grün")
    #expect(hadEcho)
    #expect(keyboard.screen(until: "grün\r\n") != nil)
  }

  @Test("The terminal shows lines before a question, each escaped")
  func lines() async throws {
    let asking = Task.detached { [terminal] in
      terminal.tell("one")
      terminal.tell("\u{1B}[1mtwo\nthree")
      return terminal.ask("Question: ")
    }
    let screen = try #require(keyboard.screen(until: "Question: "))
    keyboard.type("yes\n")
    #expect(await asking.value == "yes")
    #expect(screen == "one\r\n\\u{1b}[1mtwo\\nthree\r\nQuestion: ")
  }

  @Test("The terminal hides a secret while it is typed, and shows again what follows")
  func secret() async throws {
    let (answer, hadEcho) = try await answer("hunter2\n") { $0.askSecret("Question: ") }
    #expect(answer == Secret("hunter2"))
    #expect(!hadEcho)
    #expect(keyboard.echoes)
    keyboard.type("!")
    #expect(keyboard.screen(until: "!") == "\r\n!")
  }

  @Test("The terminal lets mistakes be corrected")
  func editing() async throws {
    let (answer, _) = try await answer("wrong\u{15}rixx\u{7F}\u{7F}ght\n") { $0.askSecret("Question: ") }
    #expect(answer == Secret("right"))
  }

  @Test("The terminal takes Ctrl-C and Ctrl-\\ as a cancellation", arguments: ["half\u{03}", "\u{03}", "x\u{1C}"])
  func cancelled(keys: String) async throws {
    #expect(try await answer(keys) { $0.askSecret("Question: ") }.answer == nil)
    #expect(keyboard.echoes)
    #expect(try await answer(keys) { $0.ask("Question: ") }.answer == nil)
    #expect(keyboard.echoes)
  }

  @Test("The terminal takes Ctrl-D as the end: of the input alone, of a line after text")
  func end() async throws {
    #expect(try await answer("\u{04}") { $0.askSecret("Question: ") }.answer == nil)
    let (answer, _) = try await answer("text\u{04}\u{04}") { $0.askSecret("Question: ") }
    #expect(answer == Secret("text"))
    #expect(try await self.answer("\n") { $0.askSecret("Question: ") }.answer == Secret(""))
  }

  @Test("The terminal waits no longer than its timeout")
  func timeout() {
    #expect(Terminal.live(device: keyboard.device, timeout: 0).askSecret("Question: ") == nil)
    #expect(keyboard.echoes)
  }

  @Test("The terminal restores the echo on a signal, which then has its usual effect")
  func signal() async throws {
    let before = Glibc.signal(SIGHUP) { _ in hangups.add(1, ordering: .relaxed) }
    defer { _ = Glibc.signal(SIGHUP, before) }
    let asking = Task.detached { [terminal] in terminal.askSecret("Question: ") }
    _ = try #require(keyboard.screen(until: "Question: "))
    #expect(!keyboard.echoes)
    kill(getpid(), SIGHUP)
    // Any thread may take it, at any time.
    while hangups.load(ordering: .relaxed) == 0 { await Task.yield() }
    #expect(keyboard.echoes)
    keyboard.type("a line that is no answer any more\n")
    #expect(await asking.value == nil)
    #expect(keyboard.echoes)
  }

  @Test("The terminal prints no control character of a question's text")
  func treacherousPrompt() async throws {
    let asking = Task.detached { [terminal] in terminal.ask("\u{1B}[2JQuestion: ") }
    #expect(keyboard.screen(until: "Question: ") == "\\u{1b}[2JQuestion: ")
    keyboard.type("\n")
    #expect(await asking.value == "")
  }

  @Test("The terminal can ask if it can be opened")
  func canAsk() {
    #expect(terminal.canAsk())
  }
}

/// How often the test's own handler was called.
private let hangups = Atomic(0)
