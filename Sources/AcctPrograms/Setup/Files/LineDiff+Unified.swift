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
