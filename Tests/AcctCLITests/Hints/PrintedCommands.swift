import AcctCLI
import AcctTestSupport
import ArgumentParser
import Synchronization
import Testing

/// The command lines of acct's that messages show between backquotes: people paste them.
enum PrintedCommands {
  /// Lets every command line that any test of this process sees printed be checked, once.
  static let readAll: Void = {
    PrintedLines.read { text in
      for line in lines(in: text) where isNew(line) {
        if let flaw = flaw(of: line) { Issue.record("`\(line)` \(flaw), in: \(text)") }
      }
    }
  }()

  private static let known = Mutex<Set<String>>([])

  private static func isNew(_ line: String) -> Bool { known.withLock { $0.insert(line).inserted } }

  /// The lines between backquotes that begin with acct; a backquote between single quotes belongs to the line.
  static func lines(in text: String) -> [String] {
    var lines: [String] = []
    var line: String?
    var isQuoted = false
    var isEscaped = false
    for character in text {
      if character == "`", !isQuoted {
        if let line, line.hasPrefix("acct ") { lines.append(line) }
        line = line == nil ? "" : nil
      } else if line != nil {
        if character == "'", !isEscaped { isQuoted.toggle() }
        isEscaped = character == "\\" && !isQuoted && !isEscaped
        line?.append(character)
      }
    }
    return lines
  }

  /// Why a line can't be pasted; `nil` if it can.
  static func flaw(of line: String) -> String? {
    guard let words = words(of: line) else { return "has an open quote" }
    for (word, before) in zip(words.dropFirst(), words) where isPlaceholder(word) {
      switch (before, word) {
      case (_, "FILE"), ("--client-id", "ID"): continue
      case (_, "NAME") where words[1] != "login": continue
      default: return "has the placeholder \(word)"
      }
    }
    do {
      _ = try ParsedLines.parse(Array(words.dropFirst()))
      return nil
    } catch {
      // Help is an answer, too; and the name of a command alone says which one is meant.
      let isName = words.allSatisfy { !$0.hasPrefix("-") } && words[1] != "login" && hasHelp(Array(words.dropFirst()))
      return Acct.exitCode(for: error).isSuccess || isName ? nil : "is no command line: \(Acct.message(for: error))"
    }
  }

  private static func hasHelp(_ names: [String]) -> Bool {
    do { _ = try Acct.parsed(["help"] + names) } catch { return Acct.exitCode(for: error).isSuccess }
    return true
  }

  /// The words of a line as a shell reads them, with an ellipsis left out; `nil` for an open quote.
  static func words(of line: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    var isEscaped = false
    for character in line {
      switch character {
      case _ where isEscaped: (word, isEscaped) = ((word ?? "") + "\(character)", false)
      case "'": (word, isQuoted) = (word ?? "", !isQuoted)
      case "\\" where !isQuoted: isEscaped = true
      case " " where !isQuoted:
        if let word { words.append(word) }
        word = nil
      default: word = (word ?? "") + "\(character)"
      }
    }
    if let word, word != "…" { words.append(word) }
    return isQuoted ? nil : words
  }

  private static func isPlaceholder(_ word: String) -> Bool {
    word.utf8.count > 1 && word.utf8.allSatisfy { (0x41...0x5A).contains($0) }
  }
}
