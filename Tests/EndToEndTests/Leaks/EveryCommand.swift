import AcctTestSupport
import StrictJSON
import Testing

/// Asserts that rows call every command that the built acct has, and that each fails in one of them.
func expectEveryCommand(in rows: [LeakRow], _ location: SourceLocation = #_sourceLocation) async throws {
  let dump = try await ChildProcess(Product.executable("acct"), ["--experimental-dump-help"]).run()
  let root = try #require(try JSON(parsing: dump.standardOutput)["command"])
  let commands = Set(leaves(of: root).map { $0.joined(separator: " ") })
  let called = Set(rows.filter { $0.status == 0 }.map(\.command))
  let failed = Set(rows.filter { $0.status != 0 }.map(\.command))
  #expect(commands.subtracting(called) == [], "no row calls it", sourceLocation: location)
  #expect(commands.subtracting(failed) == [], "no row has it fail", sourceLocation: location)
}

/// The commands that have none below them, as words behind acct's name.
private func leaves(of command: JSON) -> [[String]] {
  // `help` is ArgumentParser's own, and reads nothing.
  let below = (command["subcommands"]?.arrayValue ?? []).filter { $0["commandName"] != "help" }
  guard !below.isEmpty else { return [[]] }
  return below.flatMap { child in leaves(of: child).map { [child["commandName"]?.stringValue ?? ""] + $0 } }
}
