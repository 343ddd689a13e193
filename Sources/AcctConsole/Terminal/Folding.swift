/// Breaks a line at its spaces.
///
/// A word that alone is too wide stands out: cut in two it could be neither read nor copied.
package func wrapped(_ text: String, at width: Int?) -> [String] {
  guard let width, text.displayWidth > width else { return [text] }
  return filled(text.split(separator: " ").map(String.init), at: width, indent: "")
}

/// Breaks a message at its spaces, and indents all but the first line.
///
/// What stands in backquotes is there to be copied, and stays whole.
package func folded(_ message: String, at width: Int?) -> [String] {
  guard let width, message.displayWidth > width else { return [message] }
  var words: [String] = []
  var isQuoted = false
  for word in message.split(separator: " ") {
    if isQuoted, let last = words.last, last.displayWidth + word.displayWidth < longestQuotation {
      words[words.count - 1] = "\(last) \(word)"
    } else {
      words.append(String(word))
    }
    if word.count(where: { $0 == "`" }) % 2 == 1 { isQuoted.toggle() }
  }
  return filled(words, at: width, indent: "  ")
}

/// In columns; a longer command is broken as any text is.
private let longestQuotation = 80

private func filled(_ words: [String], at width: Int, indent: String) -> [String] {
  var lines: [String] = []
  var line = ""
  for word in words {
    if line.isEmpty {
      line = (lines.isEmpty ? "" : indent) + word
    } else if line.displayWidth + 1 + word.displayWidth <= width {
      line += " \(word)"
    } else {
      lines.append(line)
      line = indent + word
    }
  }
  return line.isEmpty ? lines : lines + [line]
}
