import AcctCrypto
import AcctProtocol
package import Secrets
import Text

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
    return lines.filter(lost.contains).map { String(shown($0)[...].trimmed) }
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

extension LineDiff {
  /// A change with the equal lines around it.
  struct Hunk {
    var before: Range<Int>
    var after: Range<Int>
    var lines: [Line] = []
  }

  /// A line of a hunk, by its number in the file after; a removed one, in the file before.
  enum Line {
    case kept(Int)
    case removed(Int)
    case added(Int)
  }

  /// The number of equal lines that are shown before and behind a change.
  private static let context = 3

  /// The changes as the unified format groups them.
  var hunks: [Hunk] {
    var hunks: [Hunk] = []
    for (index, change) in changes.enumerated() {
      let start = change.before.lowerBound
      let room = start - (hunks.last?.before.upperBound ?? 0)
      if hunks.isEmpty || room > Self.context {
        let lead = min(Self.context, room)
        let (old, new) = (start - lead, change.after.lowerBound - lead)
        hunks.append(Hunk(before: old..<old, after: new..<new))
      }
      let rest = index + 1 < changes.count ? changes[index + 1].before.lowerBound : before.places.count
      hunks[hunks.count - 1].add(change, from: start, to: min(change.before.upperBound + Self.context, rest))
    }
    return hunks
  }

  /// The unified diff, as diff(1) prints it with `-u`; what may be a secret of another program is hidden.
  ///
  /// - Parameter path: The file's path, as it is shown.
  /// - Returns: The lines; none if the files are equal.
  package func shown(_ path: String) -> [String] {
    guard !changes.isEmpty || before.isThere != after.isThere else { return [] }
    let heads = ["--- \(before.isThere ? path : "/dev/null")", "+++ \(after.isThere ? path : "/dev/null")"]
    return hunks.reduce(into: heads) { shown, hunk in
      shown.append("@@ -\(Self.words(for: hunk.before)) +\(Self.words(for: hunk.after)) @@")
      for line in hunk.lines {
        let (sign, lines, index) =
          switch line {
          case .kept(let index): (" ", after, index)
          case .removed(let index): ("-", before, index)
          case .added(let index): ("+", after, index)
          }
        let text = lines.shown(index)
        shown.append(sign + text.withoutEnd)
        if text.unicodeScalars.last != "\n" { shown.append("\\ No newline at end of file") }
      }
    }
  }

  /// The lines that are only in the file after.
  package var addedLines: [String] { changes.flatMap(\.after).map { after.shown($0).withoutEnd } }

  /// As ``addedLines``, each behind the head of its section, such as `[credential]`.
  package var linesToAdd: [String] {
    var lines: [String] = []
    var section: Int?
    for change in changes where !change.after.isEmpty {
      let head = (0...change.after.lowerBound).last(where: isHead)
      if let head, head != section, head < change.after.lowerBound { lines.append(after.shown(head).withoutEnd) }
      lines += change.after.map { after.shown($0).withoutEnd }
      section = (0..<change.after.upperBound).last(where: isHead)
    }
    return lines
  }

  private func isHead(_ index: Int) -> Bool { after.withLine(index) { $0[0] == UInt8(ascii: "[") } }

  private static func words(for range: Range<Int>) -> String {
    // The format names the line before an empty range.
    let start = range.isEmpty ? range.lowerBound : range.lowerBound + 1
    return range.count == 1 ? "\(start)" : "\(start),\(range.count)"
  }
}

extension LineDiff.Hunk {
  fileprivate mutating func add(_ change: LineDiff.Change, from start: Int, to end: Int) {
    keep(upTo: start)
    lines += change.before.map(LineDiff.Line.removed) + change.after.map(LineDiff.Line.added)
    before = before.lowerBound..<change.before.upperBound
    after = after.lowerBound..<change.after.upperBound
    keep(upTo: end)
  }

  /// Adds equal lines up to a line of the file before.
  private mutating func keep(upTo end: Int) {
    let count = end - before.upperBound
    lines += (after.upperBound..<after.upperBound + count).map(LineDiff.Line.kept)
    before = before.lowerBound..<end
    after = after.lowerBound..<after.upperBound + count
  }
}

extension String {
  /// A line without the line feed at its end.
  fileprivate var withoutEnd: String { unicodeScalars.last == "\n" ? String(unicodeScalars.dropLast()) : self }
}

/// The lines of a file, which are compared by marks: the first bytes of their SHA-256.
///
/// A mark that is recorded has a salt: no table of digests finds a weak password by it, and no two records have the same
/// mark for one.
package struct TextLines: Sendable {
  let text: Secret
  /// `false` where there is no file.
  let isThere: Bool
  /// The range of each line, with its end.
  let places: [Range<Int>]
  let marks: [UInt64]
  /// The key of the marks; empty where they are not recorded.
  let salt: Secret
  /// In place of the mark of a line: the end of the file.
  static let end: UInt64 = 0

  /// - Parameters:
  ///   - text: The file; `nil` if there is none.
  ///   - salt: The key of the marks, if they are recorded.
  package init(_ text: Secret?, salt: [UInt8] = []) {
    isThere = text != nil
    let salt = Secret(salt)
    self.salt = salt
    let text = text ?? Secret("")
    self.text = text
    var places: [Range<Int>] = []
    marks = text.withBytes { bytes in
      places = bytes.lines.map { $0.lowerBound..<min($0.upperBound + 1, bytes.count) }
      return places.map { mark(bytes.extracting($0), salt) }
    }
    self.places = places
  }

  /// Lends the bytes of a line.
  func withLine<Result>(_ index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    text.withBytes { body($0.extracting(places[index])) }
  }

  /// The same lines with marks to record.
  func salted(_ salt: [UInt8]) -> TextLines { TextLines(isThere ? text : nil, salt: salt) }

  func line(_ index: Int) -> Secret { withLine(index) { Secret($0) } }
}

/// A number that equal bytes have in common.
func mark(_ bytes: Span<UInt8>, _ salt: Secret = Secret("")) -> UInt64 {
  digest(of: bytes, salt)[..<8].reduce(0) { $0 << 8 | UInt64($1) }
}

func digest(of bytes: Span<UInt8>, _ salt: Secret) -> [UInt8] {
  salt.count == 0 ? SHA256.hash(bytes) : HMACSHA256.code(bytes, key: salt)
}

extension Secret {
  /// `true` for a file whose first lines say that a program makes it, and that changes in it do not last.
  package var isGenerated: Bool {
    let lines = TextLines(self)
    let head = (0..<min(10, lines.places.count)).map { lines.shown($0).lowercased() }.joined()
    return ["generated", "managed by"].contains(where: head.contains)
      && ["not edit", "n't edit", "not modify", "not change"].contains(where: head.contains)
  }
}

extension TextLines {
  /// The possible secrets in the file and its words, by their marks: their places in the text.
  var words: [UInt64: Range<Int>] {
    var words: [UInt64: Range<Int>] = [:]
    for index in places.indices {
      let start = places[index].lowerBound
      withLine(index) { line in
        for place in Self.words(in: line) {
          words[mark(line.extracting(place), salt)] = start + place.lowerBound..<start + place.upperBound
        }
      }
    }
    return words
  }

  /// A line in parts: what another text has, too, by its mark alone.
  func parts(of index: Int, _ known: Set<UInt64>) -> [FileChange.Part] {
    withLine(index) { line in
      var parts: [FileChange.Part] = []
      var position = 0
      // The other text may have a whole value, or words of it.
      for place in Self.words(in: line) where place.lowerBound >= position {
        let mark = mark(line.extracting(place), salt)
        guard known.contains(mark) else { continue }
        if position < place.lowerBound { parts.append(.text(line.bytes(position..<place.lowerBound))) }
        parts.append(.secret(mark))
        position = place.upperBound
      }
      return position < line.count ? parts + [.text(line.bytes(position..<line.count))] : parts
    }
  }

  /// The text of parts, of which this one has the words; `nil` if one is missing.
  func text(of parts: [FileChange.Part], _ words: [UInt64: Range<Int>]) -> Secret? {
    var texts: [Secret] = []
    for part in parts {
      switch part {
      case .text(let bytes): texts.append(Secret(bytes))
      case .secret(let mark):
        guard let place = words[mark] else { return nil }
        texts.append(text.withBytes { Secret($0.extracting(place)) })
      }
    }
    return Secret(joining: texts)
  }

  /// The possible secrets in a line, and the words that are long enough to be one, by where they begin.
  private static func words(in line: Span<UInt8>) -> [Range<Int>] {
    var words = ForeignSecrets.places(in: line)
    var start = 0
    for position in 0...line.count
    where position == line.count || " \t\r\n\"'`,;:=@(){}[]<>\\".utf8.contains(line[position]) {
      if position - start >= 4 { words.append(start..<position) }
      start = position + 1
    }
    return words.sorted { ($0.lowerBound, $1.upperBound) < ($1.lowerBound, $0.upperBound) }
  }
}
