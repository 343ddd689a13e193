/// Text that a server, a file or a person wrote, made safe to show.
///
/// Characters that could move the cursor, change colours, or hide and reorder text are escaped: escape sequences could
/// rewrite earlier lines of a terminal or its title, and direction marks or invisible characters could make one name
/// look like another. The joiners of an emoji are kept. This is the one place that decides; JSON, whose bytes must not
/// depend on the reader, escapes all of these and a little more by itself.
///
/// - Parameter text: Any text.
/// - Returns: The text unchanged, or with escapes such as `\n` and `\u{1b}`.
package func printable(_ text: String) -> String {
  // The fast path, for nearly every text.
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

/// A machine's name, made safe to show: no other name looks like it.
///
/// All but visible ASCII is escaped: letters of other scripts look like ASCII, blanks like the columns of a table, and a
/// backslash like the beginning of an escape.
///
/// - Returns: The name unchanged, or with escapes: `bu\u{456}ld`. Different names have different results.
package func printableASCII(_ name: String) -> String {
  name.unicodeScalars.reduce(into: "") { shown, scalar in
    switch scalar {
    case "!"..."~" where scalar != "\\": shown.unicodeScalars.append(scalar)
    default: shown += scalar.escape
    }
  }
}

extension Unicode.Scalar {
  /// The escape sequence that replaces the scalar where it can't be shown.
  package var escape: String {
    switch self {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(value, radix: 16))}"
    }
  }

  /// `true` if it is displayed as itself and has no effect on other characters.
  var isPlain: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: !properties.isDefaultIgnorableCodePoint
    }
  }
}

/// Returns `true` if an emoji or ideograph would look different without this scalar.
private func joinsEmoji(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
  guard index > 0, let first = scalars.first?.properties, first.isEmoji || first.isIdeographic else { return false }
  guard scalars[index] == "\u{200D}" else { return scalars[index].properties.isVariationSelector }
  return index + 1 < scalars.count && scalars[index + 1].properties.isEmoji
}
