import AcctCLI
import AcctConsole
import AcctTestSupport
import ArgumentParser
import Testing

@Suite("Command lines that a table parses")
struct TableParsingTests {
  @Test("A generated line means to the table what it means to ArgumentParser, or is left to that")
  func agrees() throws {
    var numbers = RepeatableNumbers(seed: 32)
    var (accepted, distinct) = (0, Set<[String]>())
    for _ in 0..<TestExtent.count(10_000, full: 150_000) {
      let line = Self.line(&numbers)
      guard let tabled = Acct.tabled(line) else { continue }
      #expect(!line.contains(""), "\(line)")
      accepted += 1
      guard distinct.insert(line).inserted else { continue }
      let parsed = try Acct.parseAsRoot(line)
      #expect(Self.dumped(tabled.command) == Self.dumped(parsed), "\(line)")
    }
    #expect(distinct.count > TestExtent.count(1_000, full: 8_000), "of \(accepted) lines")
  }

  @Test(
    "A usual line needs no ArgumentParser",
    arguments: [
      "header https://pds.example/xrpc/a", "header POST https://pds.example/xrpc/a", "header -a alice --json URL",
      "header --format curl --min-valid 600 --offline --bearer URL", "header --audience a --scope b URL",
      "token", "token --min-valid 60 --account alice", "token --audience a --scope b --offline",
      "request URL", "request -i POST URL -H A:b -H C:d -d @f", "request --retry 3 -L -o f --audience a --scope b URL",
      "status", "status alice --json", "status --check -q", "list", "list --json --no-color", "list -v --timeout 5",
      "complete accounts", "complete origins -a alice",
    ]
  )
  func usual(line: String) throws {
    let line = line.split(separator: " ").map(String.init)
    let tabled = try #require(Acct.tabled(line))
    #expect(try Self.dumped(tabled.command) == Self.dumped(Acct.parseAsRoot(line)))
  }

  @Test(
    "An unusual line is left to ArgumentParser",
    arguments: [
      "header --help", "header -h", "header --form json URL", "header --format=json URL", "header --format xml URL",
      "header --min-valid x URL", "header --min-valid -5 URL", "header --min-valid", "header --timeout 0 URL",
      "header a b c", "header -- URL", "header -qv URL", "header -aalice URL", "header --json --json URL", "header -",
      "header --audience  URL", "list alice", "status a b", "token --sasl XOAUTH2", "token URL URL", "complete",
      "complete all", "complete accounts origins", "add", "--json", "", "help list", "request", "request URL -H",
      "request -d - URL", "request --retry -1 URL", "request URL a b",
      "limits",
    ]
  )
  func unusual(line: String) {
    #expect(Acct.tabled(line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)) == nil)
  }

  /// A line of up to eight words, most of which belong to its command; '' is an empty one.
  private static func line(_ numbers: inout RepeatableNumbers) -> [String] {
    let (command, own) = commands.randomElement(using: &numbers) ?? ("list", [])
    var line = [command]
    for _ in 0..<Int.random(in: 0...4, using: &numbers) {
      let words = [own, own, own, shared, shared, shared, strange].randomElement(using: &numbers) ?? []
      line += (words.randomElement(using: &numbers) ?? "").split(separator: " ").map { $0 == "''" ? "" : String($0) }
    }
    return line
  }

  private static let commands = [
    (
      "header",
      [
        "https://pds.example/a", "POST", "--format lines", "--format curl", "--format json", "--format map", "--format",
        "--min-valid 600", "--min-valid +60", "--min-valid -1", "--offline", "--bearer", "--audience a=b",
        "--audience a\nb", "--scope s", "--scope a\"b",
      ]
    ),
    (
      "token",
      [
        "https://pds.example/a", "--min-valid 0", "--offline", "--audience é", "--audience a\nb", "--scope s",
        "--scope a\"b", "--sasl XOAUTH2",
        "--user u",
      ]
    ),
    (
      "request",
      [
        "https://pds.example/a", "POST", "-H A:b", "--header C:d", "-H -e", "-d {}", "--data @f", "-d -", "-i", "-L",
        "--include", "--follow", "-o f", "--output -", "--retry 2", "--retry -1", "--retry x", "--audience a",
        "--scope a\"b",
      ]
    ),
    ("status", ["alice", "--check", "did:plc:a"]), ("list", []),
    ("complete", ["accounts", "origins", "providers", "accounts", "origins"]),
  ]

  private static let shared = [
    "-a alice", "--account alice", "--account a\u{301}", "--json", "-q", "--quiet", "-v", "--verbose", "--no-input",
    "--no-color", "--timeout 5", "--timeout 9223372036854775807", "--account ''", "-a ''",
  ]

  private static let strange = [
    "--help", "-h", "--version", "--", "-", "''", "--scope ''", "--credentials ''", "-qv", "-aalice", "--acc",
    "--json=1", "--timeout 0", "--timeout five",
    "--timeout -3", "--account --json", "help", "--generate-completion-script", "-\u{301}", "x", "\u{2D}\u{2D}json",
    "–json",
    "--no-inputs", "--audience  x", "7", "\u{FEFF}--json",
  ]

  private static func dumped(_ command: any ParsableCommand) -> String {
    var text = ""
    dump(command, to: &text)
    return text
  }
}
