/// Aligns rows under their titles, two spaces apart, with nothing trailing.
func table(_ titles: [String], _ rows: [[String]]) -> [String] {
  let lines = [titles] + rows
  let widths = titles.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
  return lines.map { row in
    var line = ""
    for (cell, width) in zip(row, widths) {
      line += cell + String(repeating: " ", count: width - cell.count + 2)
    }
    return line.trimmingTrailingSpaces
  }
}

/// One line for each field that has a value, the names aligned.
func fields(_ rows: [(name: String, value: String?)]) -> [String] {
  let shown = rows.compactMap { row in row.value.map { (row.name, printable($0)) } }
    .filter { !$0.1.isEmpty }
  let width = shown.map { $0.0.count }.max() ?? 0
  return shown.map { name, value in
    name + String(repeating: " ", count: width - name.count + 2) + value
  }
}

/// Text that a server or a file wrote, made safe for a terminal: control characters, which could
/// move the cursor or change colours, are shown as escapes.
func printable(_ text: String) -> String {
  var shown = ""
  for scalar in text.unicodeScalars {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator:
      shown += "\\u{\(String(scalar.value, radix: 16))}"
    default: shown.unicodeScalars.append(scalar)
    }
  }
  return shown
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)])
  }
}
