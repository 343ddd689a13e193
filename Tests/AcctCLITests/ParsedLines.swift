import AcctCLI
import AcctPorts
import FleetPorts
import KeyDevices
import AcctTestSupport
import Synchronization

/// Command lines that this process has parsed already.
///
/// In a debug build ArgumentParser looks for mistakes in a command's declarations, all of them, many times for each
/// line. A test that runs a line a hundred times would spend most of its time on that.
struct ParsedLines {
  /// A command is a value and holds what the line says; each run gets a copy.
  private struct Line: @unchecked Sendable { let command: ParsedCommand }

  private static let known = Mutex<[[String]: Line]>([:])

  /// Parses a line as acct does, once.
  static let parse = ParsedLines()

  /// Parses a line as acct does, once.
  ///
  /// - Throws: What acct's own parsing throws, each time.
  func callAsFunction(_ arguments: [String]) throws -> ParsedCommand {
    PrintedCommands.readAll
    if let line = Self.known.withLock({ $0[arguments] }) { return line.command }
    let line = Line(command: try Acct.parsed(arguments))
    Self.known.withLock { $0[arguments] = line }
    return line.command
  }
}

extension Acct {
  /// Runs a command line of a test, which may have been parsed before, and tries the hint that it prints.
  static func run(
    _ arguments: [String],
    in world: World,
    devices: HardwareKeys = .none,
    sharing: SharedKeyring = .none,
    schemes: SchemeHandler = .none,
    parsedBy parse: ParsedLines
  ) async -> Int32 {
    let said = Mutex((lines: [String](), output: ""))
    var heard = world
    heard.streams.notice = { line in
      said.withLock { $0.lines.append(line) }
      world.streams.notice(line)
    }
    // A table on a terminal folds what it prints.
    if world.streams.columns() == nil {
      heard.streams.output = { bytes throws(StreamFailure) in
        try world.streams.output(bytes)
        let text = text(of: bytes)
        said.withLock { $0.output += text }
      }
    }
    let status = await run(
      arguments,
      in: heard,
      devices: devices,
      sharing: sharing,
      schemes: schemes,
      parsedBy: parse.callAsFunction
    )
    guard status != 0 else { return status }
    let (lines, output) = said.withLock { ($0.lines, $0.output) }
    await PlayedHints.play(EndedRun(arguments, status, lines: lines, output: output), in: world)
    return status
  }

  /// Runs a command line of a test, and tries the hint that it prints.
  static func run(_ arguments: [String], in world: World) async -> Int32 {
    await run(arguments, in: world, parsedBy: ParsedLines.parse)
  }
}
