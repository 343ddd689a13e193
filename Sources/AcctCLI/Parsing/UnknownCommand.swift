import ArgumentParser

/// A word in the place of a command that is not a command's name.
struct UnknownCommand: Error {
  /// The words as they were typed: one, or what `help` was asked about.
  let words: [String]

  init(_ words: [String]) { self.words = words }

  /// The commands whose names are most like the first word, in the order of the help; empty if none
  /// is similar.
  var candidates: [String] {
    guard let word = words.first else { return [] }
    let commands = Acct.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    return nearest(to: word, of: commands.map { $0._commandName })
  }
}

/// The names that are most like a word, in their order; empty if none is similar.
func nearest(to word: String, of names: [String]) -> [String] {
  let near =
    names
    .map { (name: $0, distance: editDistance(word, $0)) }
    // Half of a short word changed makes another word.
    .filter { $0.distance <= (word.utf8.count > 3 ? 2 : 1) }
  let least = near.map(\.distance).min()
  return near.filter { $0.distance == least }.map(\.name)
}

extension ErrorMessage {
  /// A word that is not a command's name.
  init(_ unknown: UnknownCommand) {
    self.init(usage: "there is no command \(unknown.words.joined(separator: " "))")
    let candidates = unknown.candidates.map { "`\($0)`" }
    if !candidates.isEmpty { hint = "did you mean \(candidates.joined(separator: " or "))?" }
  }
}

/// How many bytes must be inserted, removed, replaced or exchanged with their neighbour to make one
/// text of the other (the optimal string alignment distance).
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
