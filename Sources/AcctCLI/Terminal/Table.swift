/// Rows under titles, two spaces apart, with columns that shrink on a narrow screen.
struct Table {
  struct Column {
    var title: String
    /// The fewest columns of the screen that shortening may leave it; `nil`: it is never shortened.
    var floor: Int?
    /// The order in which columns are dropped if shortening is not enough, lowest first; `nil`:
    /// never.
    var rank: Int?

    init(_ title: String, floor: Int? = nil, rank: Int? = nil) {
      self.title = title
      self.floor = floor
      self.rank = rank
    }
  }

  var columns: [Column]
  var rows: [[Cell]]

  /// The titles, if there are any, and the rows, with nothing trailing.
  func lines(on screen: Screen) -> [String] {
    let cells = ([columns.map { Cell($0.title, .faint) }] + rows).map { row in
      row.map { Cell(screen.shown($0.text), $0.style) }
    }
    let natural = columns.indices.map { index in cells.map { $0[index].text.displayWidth }.max() ?? 0 }
    let widths = widths(for: natural, within: screen.columns)
    let isTitled = columns.contains { !$0.title.isEmpty }
    return cells.dropFirst(isTitled ? 0 : 1).map { row in line(row, widths, screen) }
  }

  /// The width of each column that stays.
  private func widths(for natural: [Int], within limit: Int?) -> [Int: Int] {
    var widths = Dictionary(uniqueKeysWithValues: natural.enumerated().map { ($0, $1) })
    guard let limit else { return widths }
    while true {
      let excess = widths.values.reduce(0, +) + gap * (widths.count - 1) - limit
      guard excess > 0 else { return widths }
      let fitting = shrunk(widths, by: excess)
      if let fitting { return fitting }
      let next = widths.keys.min { rank($0) < rank($1) }
      guard let next, columns[next].rank != nil else { return shrunk(widths) }
      widths[next] = nil
    }
  }

  private func rank(_ index: Int) -> Int { columns[index].rank ?? .max }

  /// Shortens the widest column that may shrink, until all fits; `nil` if that is not possible.
  private func shrunk(_ widths: [Int: Int], by excess: Int) -> [Int: Int]? {
    var widths = widths
    for _ in 0..<excess {
      let candidates = widths.filter { index, width in width > columns[index].floor ?? .max }
      guard let widest = candidates.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return nil }
      widths[widest.key] = widest.value - 1
    }
    return widths
  }

  /// Every column at its minimum, if even that is not enough.
  private func shrunk(_ widths: [Int: Int]) -> [Int: Int] {
    widths.reduce(into: widths) { shrunk, column in
      shrunk[column.key] = min(column.value, columns[column.key].floor ?? column.value)
    }
  }

  private func line(_ row: [Cell], _ widths: [Int: Int], _ screen: Screen) -> String {
    let shown = widths.keys.sorted().map { index in (row[index], widths[index] ?? 0) }
    let end = shown.lastIndex { !$0.0.text.isEmpty }.map { $0 + 1 } ?? 0
    var line = ""
    for (index, (cell, width)) in shown[..<end].enumerated() {
      let text = screen.shortened(cell.text, to: width)
      line += screen.painted(text, cell.style)
      if index + 1 < end { line += spaces(width - text.displayWidth + gap) }
    }
    return line
  }
}

/// Between two columns.
private let gap = 2

func spaces(_ count: Int) -> String { String(repeating: " ", count: max(count, 0)) }
