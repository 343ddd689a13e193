/// Text that a server, a file or a person wrote, made safe to show.
///
/// Whatever could move the cursor, change colours, or hide and reorder what is shown is written
/// out: escape sequences could rewrite earlier lines of a terminal or its title, and direction
/// marks or invisible characters could make one name look like another. What joins emoji to one
/// picture stays. This is the one place that decides; JSON, which must not change its bytes with a
/// reader, escapes all of that and a little more by itself.
///
/// - Parameter text: Any text.
/// - Returns: The same text, or one with escapes such as `\n` and `\u{1b}`.
package func printable(_ text: String) -> String {
  // What nearly every text is.
  guard !text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return text }
  return text.reduce(into: "") { shown, character in
    let scalars = Array(character.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      if scalar.isPlain || joinsEmoji(scalars, at: index) {
        shown.unicodeScalars.append(scalar)
      } else {
        shown += scalar.escape
      }
    }
  }
}

extension Unicode.Scalar {
  /// How the scalar is written out where it can't be shown.
  package var escape: String {
    switch self {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(value, radix: 16))}"
    }
  }

  /// Whether it shows as itself and nothing else.
  fileprivate var isPlain: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: !properties.isDefaultIgnorableCodePoint
    }
  }
}

/// Whether the scalar of a character is one without which an emoji or an ideograph looks different.
private func joinsEmoji(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
  guard index > 0, let first = scalars.first?.properties, first.isEmoji || first.isIdeographic else { return false }
  guard scalars[index] == "\u{200D}" else { return scalars[index].properties.isVariationSelector }
  return index + 1 < scalars.count && scalars[index + 1].properties.isEmoji
}
