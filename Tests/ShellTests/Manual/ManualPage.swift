import AcctTestSupport

/// A page of the manual, as mdoc(7) says what is what in it.
struct ManualPage {
  /// An option that the page explains, with its dashes.
  struct Option: Equatable {
    var names: [String]
    var takesValue: Bool
  }

  /// As in `acct.1`.
  let name: String
  private let lines: [String]

  init(_ name: String) async throws {
    self.name = name
    lines = try await ChildProcess("cat", [Product.source("man/\(name)")]).run().text
      .split(separator: "\n").map(String.init)
  }

  /// Every page that there is.
  static func all() async throws -> [ManualPage] {
    let names = try await ChildProcess("ls", [Product.source("man")]).run().text
    var pages: [ManualPage] = []
    for name in names.split(separator: "\n") { pages.append(try await ManualPage(String(name))) }
    return pages
  }

  /// What the list items of a section begin with, each as its words.
  func items(of section: String) -> [[Substring]] {
    var current = ""
    return lines.reduce(into: []) { items, line in
      if line.hasPrefix(".Sh ") { current = String(line.dropFirst(4)) }
      if current == section, line.hasPrefix(".It ") { items.append(line.dropFirst(4).split(separator: " ")) }
    }
  }

  /// The options that its own section explains.
  var options: [Option] { items(of: "OPTIONS").compactMap(Self.option) }

  /// The commands that the page lists, by the words after `acct`, with the options below each.
  var commands: [[String]: [Option]] {
    var current: [String] = []
    return items(of: "COMMANDS").reduce(into: [:]) { commands, words in
      if words.first == "Cm" {
        current = words.dropFirst().prefix { $0.first?.isLowercase == true }.map(String.init)
        commands[current] = []
      } else if let option = Self.option(words) {
        commands[current]?.append(option)
      }
    }
  }

  /// The names that follow `Ev` in a section's items.
  var variables: [String] {
    items(of: "ENVIRONMENT").flatMap { words in words.filter { $0 != "Ev" && $0 != "," } }.map(String.init)
  }

  /// The words of the command that the page is about: `keyring machines` of `acct-keyring-machines.1`.
  var path: [String] { name.dropLast(2).split(separator: "-").dropFirst().map(String.init) }

  /// The page as a terminal of that many columns shows it.
  func shown(columns: Int) async throws -> String {
    try await ChildProcess(
      "man",
      ["--pager=cat", "--local-file", Product.source("man/\(name)")],
      environment: ChildProcess.plainEnvironment.merging(["MANWIDTH": "\(columns)"]) { $1 }
    ).run().text
  }

  /// What the page shows on a line of its own, as a reader sees it where the line is wide enough.
  var displays: [String] {
    let escapes = [("\\-", "-"), ("\\(aq", "'"), ("\\(dq", "\""), ("\\&", ""), ("\\e", "\\")]
    return lines.filter { $0.hasPrefix(".Dl ") }.map { line in
      escapes.reduce(String(line.dropFirst(4))) { $0.replacing($1.0, with: $1.1) }
    }
  }

  /// The commands that the page shows after a prompt, as a reader sees and copies them.
  func examples() async throws -> [String] {
    // A line that ends with a backslash goes on in the next one.
    let joined = try await shown(columns: 200).replacing("\\\n", with: "")
    return joined.split(separator: "\n").compactMap { line in
      let text = line.drop { $0 == " " }
      return text.hasPrefix("$ ") ? String(text.dropFirst(2)) : nil
    }
  }

  private static func option(_ words: [Substring]) -> Option? {
    let names = zip(words, words.dropFirst()).filter { $0.0 == "Fl" }.map { "-\($0.1)" }
    return names.isEmpty ? nil : Option(names: names, takesValue: words.contains("Ar"))
  }
}
