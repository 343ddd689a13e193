import AcctCLI

/// Something that a hint tells a person to run.
struct HintStep: Equatable {
  /// The arguments of acct.
  var arguments: [String]
  /// Whether the command that failed is to be run after it, which it makes possible.
  var mendsCommand = false
  /// Whether it is the beginning of a line, which may need more.
  var isBeginning = false

  /// The steps of a hint, each of which leads out of the failure.
  ///
  /// - Parameters:
  ///   - run: What printed the hint.
  ///   - name: Stands for an account that a person chooses.
  /// - Returns: The steps; none if the hint names nothing of acct's.
  static func all(of run: EndedRun, choosing name: String) -> [HintStep] {
    guard let hint = run.hint?.replacing(afterPerson, with: "") else { return [] }
    // The other candidates of a question come after it.
    if let meant = hint.hasPrefix("did you mean `") ? quoted(in: hint).first : nil, !meant.hasPrefix("acct ") {
      let message = run.message ?? ""
      let line = run.arguments.map { word in
        // A message does not repeat an option's value.
        let name = meant.hasPrefix("--") ? word.prefix { $0 != "=" } : word[...]
        let isMeant = message.contains("'\(name)'") || message.hasSuffix(" \(name)")
        return isMeant ? meant + word.dropFirst(name.count) : word
      }
      return [HintStep(arguments: line, isBeginning: true)]
    }
    let lines = PrintedCommands.lines(in: hint).compactMap(PrintedCommands.words).map { words in
      let words = words.dropFirst().map { $0 == "NAME" ? name : $0 }
      // "acct -a NAME header …" has the rest of the command in its place.
      guard words.first == "-a" else {
        let isName = words.allSatisfy { !$0.hasPrefix("-") } && hint.hasPrefix("did you mean ")
        return HintStep(arguments: words, mendsCommand: mends(words), isBeginning: isName)
      }
      return HintStep(arguments: words.prefix(2) + run.arguments.dropping("-a").dropping("--account"))
    }
    let added = quoted(in: hint).filter { $0.hasPrefix("--") }.map { options in
      HintStep(arguments: run.arguments + options.split(separator: " ").map { $0 == "NAME" ? name : String($0) })
    }
    return lines + added + without(hint, run.arguments)
  }

  /// A line that a person runs after a file was moved.
  private static let afterPerson = "or move it away and run `acct doctor --repair`"

  /// The command without what the hint tells to leave out.
  private static func without(_ hint: String, _ arguments: [String]) -> [HintStep] {
    let start = hint.firstRange(of: "leave out --") ?? hint.firstRange(of: "without --")
    guard let words = start.map({ hint[hint.index($0.upperBound, offsetBy: -2)...] }) else { return [] }
    var left = arguments
    for word in words.prefix(while: { !",;:".contains($0) }).split(separator: " ") {
      if word.hasPrefix("--") { left = left.dropping(String(word)) } else if word != "and" { break }
    }
    return left == arguments ? [] : [HintStep(arguments: left)]
  }

  /// Whether a line changes what the failed command found; the others show something, or do the command's work.
  private static func mends(_ words: [String]) -> Bool {
    guard !words.contains("--help") else { return false }
    return switch words.first {
    case "allow", "login", "rename", "switch": true
    case "keyring": words.dropFirst().first == "unlock"
    default: false
    }
  }

  private static func quoted(in hint: String) -> [String] {
    let parts = hint.split(separator: "`", omittingEmptySubsequences: false)
    return parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }
  }
}

extension [String] {
  private static let flags: Set = ["--bearer", "--no-input", "--offline"]

  /// The arguments without an option and its value.
  fileprivate func dropping(_ option: String) -> [String] {
    guard let index = firstIndex(where: { $0 == option || $0.hasPrefix("\(option)=") }) else { return self }
    let hasValue = self[index] == option && !Self.flags.contains(option)
    return Array(self[..<index] + dropFirst(index + (hasValue ? 2 : 1)))
  }
}
