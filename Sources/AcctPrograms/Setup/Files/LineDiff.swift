package import Secrets

/// The lines that differ between two files.
package struct LineDiff: Sendable {
  let before: TextLines
  let after: TextLines
  /// Lines that are replaced, and those that replace them.
  typealias Change = (before: Range<Int>, after: Range<Int>)
  /// Between two of them are equal lines.
  let changes: [Change]

  /// - Parameters:
  ///   - before: The file before; `nil` if there was none.
  ///   - after: The file after; `nil` if there is none.
  package init(from before: Secret?, to after: Secret?) {
    self.before = TextLines(before)
    self.after = TextLines(after)
    let (old, new) = (self.before.marks, self.after.marks)
    var start = 0
    while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
    var (oldEnd, newEnd) = (old.count, new.count)
    while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
      (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
    }
    // Each pair of equal lines ends a change.
    var changes: [Change] = []
    var (oldNext, newNext) = (start, start)
    for pair in Self.equalPairs(old[start..<oldEnd], new[start..<newEnd]) + [(oldEnd, newEnd)] {
      if pair.0 > oldNext || pair.1 > newNext { changes.append((oldNext..<pair.0, newNext..<pair.1)) }
      (oldNext, newNext) = (pair.0 + 1, pair.1 + 1)
    }
    self.changes = changes
  }

  /// The most lines that are added and removed one by one; a longer way replaces all of them.
  private static let limit = 1500

  /// The positions of equal lines on the shortest way from one text to the other.
  ///
  /// E. Myers, An O(ND) Difference Algorithm and Its Variations, 1986. The limit bounds time and memory for a file that a
  /// program has written anew.
  private static func equalPairs(_ old: ArraySlice<UInt64>, _ new: ArraySlice<UInt64>) -> [(Int, Int)] {
    guard !old.isEmpty, !new.isEmpty else { return [] }
    let center = Self.limit + 1
    var furthest = [Int32](repeating: 0, count: 2 * center + 1)
    var steps: [[Int32]] = []
    for step in 0...min(Self.limit, old.count + new.count) {
      steps.append(Array(furthest[(center - step - 1)...(center + step + 1)]))
      for diagonal in stride(from: -step, through: step, by: 2) {
        let (left, right) = (furthest[center + diagonal - 1], furthest[center + diagonal + 1])
        let isDown = diagonal == -step || diagonal != step && left < right
        var x = Int(isDown ? right : left + 1)
        while x < old.count, x - diagonal < new.count,
          old[old.startIndex + x] == new[new.startIndex + x - diagonal]
        { x += 1 }
        furthest[center + diagonal] = Int32(x)
        if x >= old.count, x - diagonal >= new.count {
          return way(back: steps, old.count, new.count).map { (old.startIndex + $0, new.startIndex + $1) }
        }
      }
    }
    return []
  }

  /// Follows the steps back from the end of both texts.
  private static func way(back steps: [[Int32]], _ end: Int, _ newEnd: Int) -> [(Int, Int)] {
    var pairs: [(Int, Int)] = []
    var (x, y) = (end, newEnd)
    for (step, furthest) in steps.enumerated().reversed() {
      let diagonal = x - y
      let (left, right) = (furthest[step + diagonal], furthest[step + diagonal + 2])
      let isDown = diagonal == -step || diagonal != step && left < right
      let (start, startDiagonal) = isDown ? (Int(right), diagonal + 1) : (Int(left), diagonal - 1)
      while x > start, y > start - startDiagonal {
        (x, y) = (x - 1, y - 1)
        pairs.append((x, y))
      }
      (x, y) = (start, start - startDiagonal)
    }
    return pairs.reversed()
  }
}
