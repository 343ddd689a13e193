import AcctTestSupport
import Testing

/// `acct request` of a large body, with standard error on a real terminal.
@Suite("acct request on a terminal")
struct RequestOnTerminalTests {
  private let terminal: ControllingTerminal
  private let server: FlowServer
  private let home: AcctHome

  init() async throws {
    terminal = try ControllingTerminal()
    server = try await FlowServer()
    home = try await server.home()
  }

  /// Runs it in a window so wide, and returns what the terminal was sent.
  private func request(
    _ path: String,
    columns: UInt16,
    term: String = "xterm"
  ) async throws -> (status: Int32, sent: String) {
    terminal.resize(columns: columns, rows: 20)
    var command = home.command(["request", "\(server.url)/\(path)", "-o", "/dev/null"])
    command.environment["TERM"] = term
    command.environment["NO_COLOR"] = "1"
    // The shell stays until the screen has been read: unread output ends with it.
    command.arguments =
      ["-c", #""$@" 2>/dev/tty; echo "ended $?"; read -r line"#, "sh", command.program]
      + command.arguments
    command.program = "sh"
    let process = try RunningProcess(terminal.controlling(command))
    let line = try await process.firstLine()
    let sent = terminal.screen
    terminal.press("\n")
    _ = await process.ended()
    return (try #require(Int32(line.dropFirst("ended ".count))), sent)
  }

  @Test("A progress bar takes one line in any window and is erased", arguments: [20, 80])
  func bar(columns: UInt16) async throws {
    let (status, sent) = try await request("bytes/\(16 << 20)", columns: columns)
    #expect(status == 0)
    #expect(sent.contains(" % of 16.0 MiB ["))
    #expect(sent.contains("100 % of 16.0 MiB [########################]"))
    var window = Window(columns: Int(columns))
    window.show(sent)
    #expect(window.mostLines == 1)
    #expect(window.lines == [""])
  }

  @Test("A message about a broken transfer has a line of its own")
  func brokenOff() async throws {
    let (status, sent) = try await request("cut/\(16 << 20)", columns: 80)
    #expect(status == 10)
    #expect(sent.contains(" % of 16.0 MiB ["))
    var window = Window(columns: 80)
    window.show(sent)
    #expect(window.lines.first?.hasPrefix("acct: ") == true)
    #expect(!window.lines.joined().contains("MiB ["))
  }

  @Test("Header lines of -i can't control the terminal, and stay unchanged elsewhere")
  func head() async throws {
    let url = "\(server.url)/status/200?X_Title=%1b%5d0;owned%07caf%c3%a9"
    let piped = try await home.acct("request", "-i", url)
    #expect(piped.text.contains("X-Title: \u{1B}]0;owned\u{7}"), "\(piped.errorText)")

    var command = home.command(["request", "-i", url])
    command.arguments =
      ["-c", #""$@" >/dev/tty; echo "ended $?"; read -r line"#, "sh", command.program]
      + command.arguments
    command.program = "sh"
    let process = try RunningProcess(terminal.controlling(command))
    #expect(try await process.firstLine() == "ended 0")
    let sent = terminal.screen
    terminal.press("\n")
    _ = await process.ended()
    #expect(sent.contains(#"X-Title: \u{1b}]0;owned\u{7}caf"#), "\(sent)")
    #expect(sent.contains("HTTP/1.1 200 OK\r"))
    #expect(!sent.contains("\u{1B}") && !sent.contains("\u{7}"))
    // Nor does a byte that other encodings take for the beginning of an escape sequence.
    #expect(!sent.utf8.contains(0x9B))
    // The body is the server's, as it came.
    #expect(sent.contains("no: 200"))
  }

  @Test("A dumb terminal gets no progress bar")
  func dumb() async throws {
    let (status, sent) = try await request("bytes/\(16 << 20)", columns: 80, term: "dumb")
    #expect(status == 0)
    #expect(sent.isEmpty)
  }
}

/// What a terminal makes of CR, LF, EL 0 and DECAWM, which is all that a passing line needs.
private struct Window {
  private let columns: Int
  private var cells: [[Character]] = [[]]
  private var column = 0
  private var wraps = true
  /// The most lines that it ever had text on.
  private(set) var mostLines = 1

  init(columns: Int) { self.columns = columns }

  var lines: [String] { cells.map { String($0) } }

  mutating func show(_ text: String) {
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\r": column = 0
      case "\n": begin()
      case "\u{1B}":
        let end = rest.firstIndex { $0.properties.isAlphabetic } ?? rest.startIndex
        control(String(rest[...end]))
        rest = rest[rest.index(after: end)...]
      default: put(Character(scalar))
      }
      mostLines = max(mostLines, cells.count)
    }
  }

  private mutating func control(_ sequence: String) {
    switch sequence {
    case "[K": cells[cells.count - 1] = Array(cells[cells.count - 1].prefix(column))
    case "[?7l": wraps = false
    case "[?7h": wraps = true
    default: Issue.record("a sequence that nobody expects: \(sequence)")
    }
  }

  private mutating func put(_ character: Character) {
    if column == columns {
      if wraps { begin(); column = 0 } else { column -= 1 }
    }
    let row = cells.count - 1
    if column < cells[row].count {
      cells[row][column] = character
    } else {
      cells[row].append(character)
    }
    column += 1
  }

  private mutating func begin() { cells.append([]) }
}
