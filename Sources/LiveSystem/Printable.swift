extension String {
  /// The text with whatever could move the cursor, hide or reorder what is shown written out.
  ///
  /// A notice may quote a server. Escape sequences could rewrite earlier lines of a terminal or
  /// its title, and direction marks could make one name look like another.
  var printable: String {
    guard unicodeScalars.contains(where: \.isTreacherous) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.isTreacherous: text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isTreacherous: Bool {
    // What nearly every character of nearly every notice is.
    if (0x20..<0x7F).contains(value) { return false }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    default: return properties.isBidiControl
    }
  }
}
