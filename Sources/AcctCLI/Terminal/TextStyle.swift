/// What a colour or a weight means; colour only ever repeats what the words say.
enum TextStyle: Sendable {
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
struct Cell: Sendable, ExpressibleByStringLiteral {
  var text: String
  var style: TextStyle

  init(_ text: String, _ style: TextStyle = .plain) {
    self.text = text
    self.style = style
  }

  init(stringLiteral text: String) { self.init(text) }
}
