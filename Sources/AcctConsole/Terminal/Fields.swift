/// A name and its value, on lines of their own.
package struct Field {
  var name: Cell
  var value: Cell

  /// A field of `status` whose value stands out.
  package init(_ name: String, _ value: String, _ style: TextStyle = .plain) {
    self.init(Cell(name, .faint), Cell(value, style))
  }

  package init(_ name: Cell, _ value: Cell) {
    self.name = name
    self.value = value
  }
}

/// Aligns names and values; a long value continues under its beginning.
///
/// If names leave too little room beside them, each value is below its name; a word that only fits there is, too.
///
/// - Parameters:
///   - fields: The fields to show; one without a value is left out.
///   - screen: The screen to show them on.
/// - Returns: The lines.
package func lines(_ fields: [Field], on screen: Screen) -> [String] {
  let shown = fields.filter { !$0.value.text.isEmpty }.map { field in
    (
      name: Cell(screen.shown(field.name.text), field.name.style),
      value: Cell(screen.shown(field.value.text), field.value.style)
    )
  }
  let names = (shown.map { $0.name.text.displayWidth }.max() ?? 0) + 2
  let room = screen.columns.map { $0 - names }
  return shown.flatMap { name, value in
    let longest = value.text.split(separator: " ").map(\.displayWidth).max() ?? 0
    let isStacked = room.map { $0 < max(narrowestValue, longest) } ?? false
    let indent = isStacked ? 2 : names
    let values = wrapped(value.text, at: screen.columns.map { max($0 - indent, 1) })
      .map { screen.painted($0, value.style) }
    let title = screen.painted(name.text, name.style)
    if isStacked { return [title] + values.map { spaces(indent) + $0 } }
    let first = title + spaces(names - name.text.displayWidth)
    return zip([first] + values.dropFirst().map { _ in spaces(names) }, values).map { $0 + $1 }
  }
}

/// In columns; a time in RFC 3339 is as wide.
private let narrowestValue = 20
