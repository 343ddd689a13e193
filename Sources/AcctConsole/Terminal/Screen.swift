import AcctModel
package import AcctPorts

/// The space that lines are laid out for: its width, and its characters.
package struct Screen: Equatable, Sendable {
  /// `nil` where there is no terminal: then nothing is shortened or wrapped.
  package var columns: Int?
  /// `true` if it shows more than ASCII.
  package var isUnicode = true
  var hasColour = false

  /// A screen without colour.
  package init(columns: Int?) { self.columns = columns }

  /// Standard output.
  ///
  /// `COLUMNS` precedes the terminal's own width; neither counts without a terminal.
  package init(output world: World, _ options: SharedOptions) {
    self.init(world, options)
    guard world.streams.outputIsTerminal else {
      hasColour = false
      return
    }
    columns =
      world.environment.variable("COLUMNS").flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
      ?? world.streams.columns()
  }

  /// The user's terminal, even if standard output is redirected.
  package init(_ world: World, _ options: SharedOptions) {
    let variable = world.environment.variable
    isUnicode = localeIsUTF8(variable)
    hasColour = !options.noColor && variable("NO_COLOR") == nil && !world.terminalIsDumb
  }
}

extension World {
  /// `true` if the terminal can do no more than show lines.
  package var terminalIsDumb: Bool { (environment.variable("TERM") ?? "dumb") == "dumb" }
}

extension Screen {
  /// The text as it is safe to show here.
  package func shown(_ text: String) -> String { isUnicode ? printable(text) : ascii(printable(text)) }

  /// A text that is safe to show, in its tone.
  package func painted(_ shown: String, _ style: TextStyle) -> String {
    guard hasColour, !shown.isEmpty, let parameters = style.parameters else { return shown }
    return "\u{1B}[\(parameters)m\(shown)\u{1B}[0m"
  }

  /// As much of a text that is safe to show as fits, with a mark for a cut.
  package func shortened(_ shown: String, to width: Int) -> String {
    guard shown.displayWidth > width else { return shown }
    let mark = isUnicode ? "…" : "..."
    guard width > mark.displayWidth else { return shown.prefix(columns: width) }
    return shown.prefix(columns: width - mark.displayWidth) + mark
  }
}

extension String {
  /// The longest beginning that takes no more than so many columns.
  fileprivate func prefix(columns: Int) -> String {
    var left = columns
    return String(
      prefix { character in
        left -= character.displayWidth
        return left >= 0
      }
    )
  }
}

/// The text in ASCII: punctuation in its plain form, everything else as an escape.
package func ascii(_ text: String) -> String {
  guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
  return text.unicodeScalars.reduce(into: "") { ascii, scalar in
    switch scalar {
    case _ where scalar.isASCII: ascii.unicodeScalars.append(scalar)
    case "…": ascii += "..."
    case "–", "—": ascii += "-"
    case "‘", "’": ascii += "'"
    case "“", "”": ascii += "\""
    default: ascii += scalar.escape
    }
  }
}

/// The meaning of a colour or a weight; colour only ever repeats the words.
package enum TextStyle: Sendable {
  case plain
  /// Text that stands out.
  case strong
  /// Text in the background: titles, details.
  case faint
  case good
  case warning
  case bad

  /// The parameters of SGR (ECMA-48, section 8.3.117), from the 8 colours that every terminal and
  /// every colour scheme has.
  var parameters: String? {
    switch self {
    case .plain: nil
    case .strong: "1"
    case .faint: "2"
    case .good: "32"
    case .warning: "33"
    case .bad: "31"
    }
  }
}

/// A piece of text and its tone; any text is allowed, it is made safe when it is shown.
package struct Cell: Sendable, ExpressibleByStringLiteral {
  package var text: String
  package var style: TextStyle

  package init(_ text: String, _ style: TextStyle = .plain) {
    self.text = text
    self.style = style
  }

  package init(stringLiteral text: String) { self.init(text) }
}
