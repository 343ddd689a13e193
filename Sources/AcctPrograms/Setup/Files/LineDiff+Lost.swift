import Secrets
import Text

extension LineDiff {
  /// The lines whose words do not come back: what a program dropped when it wrote the file anew.
  ///
  /// A line that is laid out differently, or that is in another place, is not lost. A change of one value is not, either,
  /// if the value is given.
  ///
  /// - Parameters:
  ///   - replaced: Words that are taken out on purpose.
  ///   - undone: The change that is taken back, whose lines go, too.
  /// - Returns: The lines without the white space around them; what may be a secret is hidden.
  package func lost(replacing replaced: [String], undoing undone: FileChange? = nil) -> [String] {
    let own = undone?.written ?? []
    let marks = undone.map { before.salted($0.salt).marks } ?? before.marks
    var added: [UInt64: Int] = [:]
    for index in changes.flatMap(\.after) { after.count(index, in: &added) }
    for value in replaced { TextLines(Secret(value)).countAll(in: &added) }
    return before.lost(changes.flatMap(\.before).filter { !own.contains(marks[$0]) }, having: added)
  }
}

extension TextLines {
  func countAll(in words: inout [UInt64: Int]) { for index in places.indices { count(index, in: &words) } }

  func count(_ index: Int, in words: inout [UInt64: Int]) {
    for word in self.words(index) { words[word, default: 0] += 1 }
  }

  /// Those of some lines that have more than these words.
  func lost(_ lines: [Int], having found: [UInt64: Int]) -> [String] {
    var missing: [UInt64: Int] = [:]
    for index in lines { count(index, in: &missing) }
    for (word, count) in found { missing[word]? -= count }
    func missingWords(_ index: Int) -> [UInt64] { words(index).filter { missing[$0, default: 0] > 0 } }
    var lost: Set<Int> = []
    // A word that other lines have, too, is missed in the line that misses more.
    let counts = lines.map { (index: $0, count: missingWords($0).count) }
    for (index, _) in counts.sorted(by: { ($1.count, $0.index) < ($0.count, $1.index) }) {
      let words = missingWords(index)
      for word in words { missing[word]? -= 1 }
      if !words.isEmpty { lost.insert(index) }
    }
    return lines.filter(lost.contains).map { shown($0).trimmed }
  }

  /// The words of a line, and the signs that begin a comment.
  private func words(_ index: Int) -> [UInt64] {
    withLine(index) { line in
      var words: [UInt64] = []
      var start = 0
      for position in 0...line.count {
        let isSign = position < line.count && "#;".utf8.contains(line[position])
        guard position == line.count || isSign || !line[position].isOfWord else { continue }
        if position > start { words.append(mark(line.extracting(start..<position))) }
        if isSign { words.append(mark(line.extracting(position...position))) }
        start = position + 1
      }
      return words
    }
  }
}

extension UInt8 {
  fileprivate var isOfWord: Bool { isASCIIAlphanumeric || self >= 0x80 }
}

extension String {
  /// The text without the white space around it.
  fileprivate var trimmed: String {
    var text = self[...].drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
