import AcctTestSupport
import Testing

/// Every command line that stands in the sources between backquotes, also those of failures that no other test sees.
///
/// What functions make, such as `acctLine`, quotes itself, and is checked where a test has it printed: ``PrintedCommands``.
@Suite("The command lines in messages")
struct HintSourceTests {
  /// What stands for an interpolation: the end of its text, and a value.
  private static let values = [
    ("option", " --host a.example"), ("helper", "keyring"),
    ("name", "work"), ("settings.kind.rawValue", "vault"), ("id", "00000000-0000-4000-8000-000000000001"),
    ("skipped.id", "00000000-0000-4000-8000-000000000001"),
    ("origin", "https://api.example"), ("$0", "https://api.example"),
    ("did", "did:plc:alice"), ("target.rawValue", "vault"), ("kind", "etcd"), ("keyring", "vault"),
    ("program.rawValue", "git"), ("plan.program.rawValue", "git"),
    ("source", "./file"), ("shellWord(owner.description)", "work"),
    ("shellWord(name.description)", "work"), ("command", "header"),
  ]

  @Test("Each command line in a message's text is one that acct parses, with ID and FILE as its only placeholders")
  func all() async throws {
    let rooms = [
      "AcctCLI", "AcctApps", "AcctDevices", "AcctFleet", "AcctPrograms", "AcctRequests", "AcctConsole", "AcctEngine",
    ]
    .map { Product.source("Sources/\($0)") }
    let found = try await ChildProcess("grep", ["-rhE", "--include=*.swift", "`acct "] + rooms).run()
    let texts = found.text.split(separator: "\n").filter { text in
      !["//", "abstract: ", "discussion: "].contains { text.contains($0) }
    }
    #expect(texts.count > 50)
    var count = 0
    for text in texts {
      for line in PrintedCommands.lines(in: String(text)) {
        guard let whole = Self.filled(line) else {
          Issue.record("no value is known for an interpolation in `\(line)`")
          continue
        }
        count += 1
        if let flaw = PrintedCommands.flaw(of: whole) { Issue.record("`\(whole)` \(flaw)") }
      }
    }
    #expect(count > 40)
  }

  /// The line with values in place of its interpolations; `nil` if one is not known.
  private static func filled(_ line: String) -> String? {
    var filled = line
    while let start = filled.firstRange(of: "\\(") {
      guard let end = close(of: filled[start.upperBound...]) else { return nil }
      let name = filled[start.upperBound..<end]
      guard let value = values.first(where: { $0.0 == name }) else { return nil }
      filled.replaceSubrange(start.lowerBound...end, with: value.1)
    }
    return filled
  }

  /// Where the parenthesis ends that was opened before the text.
  private static func close(of text: Substring) -> String.Index? {
    var depth = 1
    for index in text.indices {
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }
}
