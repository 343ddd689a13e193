import AcctCLI
import AcctEngine
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Empty values")
struct EmptyValueTests {
  /// What an empty value says something of: no body, the server's usual scope, no user.
  private static let meaningful: Set<[String]> = [
    ["request", "--data"], ["request", "-d"], ["add", "--scope"], ["login", "--scope"], ["add", "--basic"],
  ]

  @Test("Every option of every command rejects an empty value in either spelling, but for where it says something")
  func everyOption() async throws {
    let record = RecordedWorld()
    #expect(await record.run(["--experimental-dump-help"]) == 0)
    let root = try #require(try JSON(parsing: Array(record.out.utf8))["command"])
    let lines = options(of: root, []) + ["--host", "--role-arn", "--profile"].map { ["helper", "setup", $0] }
    #expect(lines.count > 250)
    var meaningful: Set<[String]> = []
    for line in lines {
      let option = line[line.count - 1]
      for spelling in option.hasPrefix("--") ? [line + [""], line.dropLast() + [option + "="]] : [line + [""]] {
        #expect(Acct.tabled(spelling) == nil, "\(spelling)")
        switch error(of: spelling) {
        case .input(.emptyValue(option: option)): break
        default: meaningful.insert(line)
        }
      }
    }
    #expect(meaningful == Self.meaningful)
  }

  /// acct's own error about a line.
  private func error(of line: [String]) -> EngineError? {
    do { _ = try Acct.parsed(line) } catch { return error as? EngineError }
    return nil
  }

  /// Each option that takes a value, behind the names of its command.
  private func options(of command: JSON, _ path: [String]) -> [[String]] {
    var own: [[String]] = []
    for argument in command["arguments"]?.arrayValue ?? [] where argument["kind"] == "option" {
      for name in argument["names"]?.arrayValue ?? [] {
        let dashes = name["kind"] == "long" ? "--" : "-"
        own.append(path + [dashes + (name["name"]?.stringValue ?? "")])
      }
    }
    let below = (command["subcommands"]?.arrayValue ?? []).filter { $0["commandName"] != "help" }
    return own + below.flatMap { options(of: $0, path + [$0["commandName"]?.stringValue ?? ""]) }
  }

  @Test(
    "An empty word ends with 64 before anything is done",
    arguments: [
      ("list --account ''", "--account"), ("list --account=", "--account"), ("-a '' list", "-a"),
      ("token -a ''", "-a"), ("header '' https://pds.example/", ""), ("status ''", ""), ("switch ''", ""),
      ("remove '' --local", ""), ("helper git get --account ''", "--account"),
      ("helper setup git --host ''", "--host"), ("add --name ''", "--name"), ("exec --env '' -- true ''", "--env"),
    ]
  )
  func words(line: String, option: String) async {
    let record = RecordedWorld()
    #expect(await record.run(line.split(separator: " ").map { $0 == "''" ? "" : String($0) }) == 64)
    let subject = option.isEmpty ? "an argument" : "the value of \(option)"
    #expect(record.err.first == "acct: \(subject) is empty")
    #expect(record.out.isEmpty)
  }

  @Test(
    "What is not acct's to judge may be empty",
    arguments: [
      ["exec", "--", "printf", ""], ["exec", "--", "cmd", "--name="],
      ["helper", "pip", "get", "https://a.example", ""],
      ["request", "-d", "", "https://pds.example/"], ["add", "--param", "prompt=", "github"],
    ]
  )
  func others(line: [String]) {
    if case .input(.emptyValue)? = error(of: line) { Issue.record("\(line)") }
  }
}
