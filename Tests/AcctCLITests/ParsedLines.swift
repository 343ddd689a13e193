import AcctCLI
import Synchronization

/// Command lines that this process has parsed already.
///
/// In a debug build ArgumentParser looks for mistakes in a command's declarations, all of them, many times for each
/// line. A test that runs a line a hundred times would spend most of its time on that.
enum ParsedLines {
  /// A command is a value and holds what the line says; each run gets a copy.
  private struct Line: @unchecked Sendable { let command: ParsedCommand }

  private static let known = Mutex<[[String]: Line]>([:])

  /// Parses a line as acct does, once.
  ///
  /// - Throws: What acct's own parsing throws, each time.
  static func parse(_ arguments: [String]) throws -> ParsedCommand {
    PrintedCommands.readAll
    if let line = known.withLock({ $0[arguments] }) { return line.command }
    let line = Line(command: try Acct.parsed(arguments))
    known.withLock { $0[arguments] = line }
    return line.command
  }
}
