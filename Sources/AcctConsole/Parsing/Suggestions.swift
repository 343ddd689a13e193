/// The names that a word may stand for: those that it is most like, else the only one that it is the beginning of.
package func suggested(for word: String, of names: [String]) -> [String] {
  let near = nearest(to: word, of: names)
  guard near.isEmpty, !word.isEmpty else { return near }
  let longer = names.filter { $0.lowercased().hasPrefix(word.lowercased()) }
  return longer.count == 1 ? longer : []
}

/// The question that proposes them; `nil` without any.
package func didYouMean(_ names: [String]) -> String? {
  names.isEmpty ? nil : "did you mean \(names.map { "`\($0)`" }.joined(separator: " or "))?"
}

/// The names that are most like a word, in their order; empty if none is similar.
package func nearest(to word: String, of names: [String]) -> [String] {
  let near =
    names
    .map { (name: $0, distance: editDistance(word, $0)) }
    // Half of a short word changed makes another word.
    .filter { $0.distance <= (word.utf8.count > 3 ? 2 : 1) }
  let least = near.map(\.distance).min()
  return near.filter { $0.distance == least }.map(\.name)
}

/// The number of bytes to insert, remove, replace or exchange with their neighbour to make one text of the other (the
/// optimal string alignment distance).
private func editDistance(_ one: String, _ other: String) -> Int {
  let (one, other) = (Array(one.utf8), Array(other.utf8))
  // No name is as long; the work grows with the product of the lengths.
  guard one.count < 64, other.count < 64 else { return .max }
  var beforeLast: [Int] = []
  var last = Array(0...other.count)
  for row in one.indices {
    var current = [row + 1]
    for column in other.indices {
      let isSame = one[row] == other[column]
      var least = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
        least = min(least, beforeLast[column - 1] + 1)
      }
      current.append(least)
    }
    (beforeLast, last) = (last, current)
  }
  return last[other.count]
}
