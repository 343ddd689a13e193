/// Rows under titles, two spaces apart, with columns that shrink on a narrow screen, are dropped, or are put below.
package struct Table {
  package struct Column {
    package var title: String
    /// The fewest columns of the screen that shortening may leave it; `nil`: it is never shortened.
    package var floor: Int?
    /// The order in which columns are dropped if shortening is not enough, lowest first; `nil`:
    /// never.
    var rank: Int?
    /// `true` if it stands below the others where not even those without a rank fit beside each other.
    package var stacks: Bool

    package init(_ title: String, floor: Int? = nil, rank: Int? = nil, stacks: Bool = false) {
      self.title = title
      self.floor = floor
      self.rank = rank
      self.stacks = stacks
    }
  }

  package var columns: [Column]
  package var rows: [[Cell]]

  package init(columns: [Column], rows: [[Cell]]) {
    self.columns = columns
    self.rows = rows
  }

  /// The titles, if there are any, and the rows, with nothing trailing.
  package func lines(on screen: Screen) -> [String] {
    let cells = ([columns.map { Cell($0.title, .faint) }] + rows).map { row in
      row.map { Cell(screen.shown($0.text), $0.style) }
    }
    let natural = columns.indices.map { index in cells.map { $0[index].text.displayWidth }.max() ?? 0 }
    let widths = widths(for: natural, within: screen.columns)
    let isTitled = columns.contains { !$0.title.isEmpty }
    if let limit = screen.columns, width(of: widths) > limit, columns.contains(where: \.stacks) {
      let below = widths.filter { columns[$0.key].stacks }
      let above = widths.filter { !columns[$0.key].stacks }
      let marks = above.keys.max().map { last in width(of: above.filter { $0.key != last }) + gap } ?? 0
      return cells.dropFirst(isTitled ? 1 : 0).flatMap { row in
        [line(row, above, screen), spaces(marks) + line(row, below, screen)]
      }
    }
    return cells.dropFirst(isTitled ? 0 : 1).map { row in line(row, widths, screen) }
  }

  private func width(of widths: [Int: Int]) -> Int { widths.values.reduce(0, +) + gap * max(widths.count - 1, 0) }

  /// The width of each column that stays: columns with a rank are shortened, then dropped; then the others are
  /// shortened.
  private func widths(for natural: [Int], within limit: Int?) -> [Int: Int] {
    var widths = Dictionary(uniqueKeysWithValues: natural.enumerated().map { ($0, $1) })
    guard let limit else { return widths }
    while true {
      let excess = width(of: widths) - limit
      guard excess > 0 else { return widths }
      let ranked = widths.keys.filter { columns[$0].rank != nil }
      if let fitting = shrunk(widths, by: excess, ranked) { return fitting }
      guard let next = ranked.min(by: { rank($0) < rank($1) }) else {
        return shrunk(widths, by: excess, Array(widths.keys)) ?? atMinimum(widths)
      }
      widths[next] = nil
    }
  }

  private func rank(_ index: Int) -> Int { columns[index].rank ?? .max }

  /// Shortens the widest of some columns that may shrink, until all fits; `nil` if that is not possible.
  private func shrunk(_ widths: [Int: Int], by excess: Int, _ shrinking: [Int]) -> [Int: Int]? {
    var widths = widths
    for _ in 0..<excess {
      let candidates = widths.filter { shrinking.contains($0.key) && $0.value > columns[$0.key].floor ?? .max }
      guard let widest = candidates.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return nil }
      widths[widest.key] = widest.value - 1
    }
    return widths
  }

  /// Every column at its minimum, if even that is not enough.
  private func atMinimum(_ widths: [Int: Int]) -> [Int: Int] {
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

package func spaces(_ count: Int) -> String { String(repeating: " ", count: max(count, 0)) }
