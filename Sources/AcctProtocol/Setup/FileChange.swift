import AcctCrypto
package import Secrets

/// A change of a file that can be undone: its line diff, of which only the lines that left the file are kept as they were.
///
/// The lines around them and those that replaced them are known by their marks, and a secret that is still in the file is
/// known by its own: it is in the file alone.
package struct FileChange: Equatable, Sendable {
  /// The SHA-256 of the contents; `nil` where there was no file.
  var before: [UInt8]?
  var after: [UInt8]?
  /// `nil` in a record of an earlier version, which can't be applied.
  var hunks: [Hunk]?

  struct Hunk: Equatable, Sendable {
    /// The first of its lines in the file after.
    var start: Int
    var lines: [Line]
  }

  enum Line: Equatable, Sendable {
    case kept(UInt64)
    case added(UInt64)
    case removed([Part])
  }

  /// A part of a line.
  enum Part: Equatable, Sendable {
    case text([UInt8])
    /// A secret that the file still has.
    case secret(UInt64)
  }

  package init(_ diff: LineDiff) {
    before = diff.before.isThere ? diff.before.digest : nil
    after = diff.after.isThere ? diff.after.digest : nil
    let known = Set(diff.after.secrets.keys)
    hunks = diff.hunks.map { hunk in
      let lines = hunk.lines.map { line -> Line in
        switch line {
        case .kept(let index): .kept(diff.after.marks[index])
        case .added(let index): .added(diff.after.marks[index])
        case .removed(let index): .removed(diff.before.parts(of: index, known))
        }
      }
      // Lines that other programs have written behind the last one may belong to it, as to the head of a section.
      let isKept = if case .kept = hunk.lines.last { true } else { false }
      return Hunk(start: hunk.after.lowerBound, lines: lines + (isKept ? [] : [.kept(TextLines.end)]))
    }
  }

  /// `true` if these are the contents before the change.
  package func isBefore(_ contents: Secret?) -> Bool { digest(contents) == before && before != after }

  /// A file that a change is taken back in.
  package struct Undone: Equatable, Sendable {
    /// `nil` for no file.
    package let contents: Secret?
    /// `true` if the file has the bytes that it had before the change.
    package let isExact: Bool

    package init(contents: Secret?, isExact: Bool) {
      self.contents = contents
      self.isExact = isExact
    }
  }

  /// Applies the diff backwards.
  ///
  /// - Parameter contents: The file as it is now; `nil` if there is none.
  /// - Returns: The file without the change; `nil` if the lines of the change are not there any more.
  package func undone(_ contents: Secret?) -> Undone? {
    if before == nil, digest(contents) == after { return Undone(contents: nil, isExact: true) }
    guard contents != nil || after == nil, let hunks else { return nil }
    let file = TextLines(contents)
    let secrets = file.secrets
    var lines: [Secret] = []
    var (next, shift) = (0, 0)
    for hunk in hunks {
      guard let place = file.place(of: hunk.marks, near: hunk.start + shift, from: next) else { return nil }
      lines += (next..<place).map(file.line)
      (next, shift) = (place, place - hunk.start)
      for line in hunk.lines {
        switch line {
        case .kept(TextLines.end): break
        case .kept:
          lines.append(file.line(next))
          next += 1
        case .added: next += 1
        case .removed(let parts):
          guard let line = text(of: parts, secrets) else { return nil }
          lines.append(line)
        }
      }
    }
    lines += (next..<file.places.count).map(file.line)
    let whole = Secret(joining: lines)
    return Undone(contents: whole, isExact: digest(whole) == before)
  }

  /// The lines that the change took out of the file and these contents do not have; possible secrets are hidden.
  package func lost(in contents: Secret) -> [String] {
    let file = TextLines(contents)
    let secrets = file.secrets
    let removed = (hunks ?? []).flatMap(\.lines).compactMap { line in
      if case .removed(let parts) = line { text(of: parts, secrets) } else { nil }
    }
    var words: [UInt64: Int] = [:]
    file.countAll(in: &words)
    let lines = TextLines(Secret(joining: removed))
    return lines.lost(Array(lines.places.indices), having: words)
  }

  /// The marks of the lines that the change wrote.
  var written: Set<UInt64> {
    Set(
      (hunks ?? []).flatMap(\.lines).compactMap { line in if case .added(let mark) = line { mark } else { nil } }
    )
  }

  private func digest(_ contents: Secret?) -> [UInt8]? { contents.map { $0.withBytes { SHA256.hash($0) } } }

  private func text(of parts: [Part], _ secrets: [UInt64: Secret]) -> Secret? {
    var texts: [Secret] = []
    for part in parts {
      switch part {
      case .text(let bytes): texts.append(Secret(bytes))
      case .secret(let mark):
        guard let secret = secrets[mark] else { return nil }
        texts.append(secret)
      }
    }
    return Secret(joining: texts)
  }
}

extension FileChange.Hunk {
  /// The marks of its lines in the file after.
  fileprivate var marks: [UInt64] {
    lines.compactMap { line in
      switch line {
      case .kept(let mark), .added(let mark): mark
      case .removed: nil
      }
    }
  }
}

extension TextLines {
  fileprivate var digest: [UInt8] { text.withBytes { SHA256.hash($0) } }

  /// The possible secrets in the file, by their marks.
  fileprivate var secrets: [UInt64: Secret] {
    places.indices.reduce(into: [:]) { secrets, index in
      withLine(index) { line in
        for place in ForeignSecrets.places(in: line) {
          secrets[mark(line.extracting(place))] = Secret(line.extracting(place))
        }
      }
    }
  }

  /// A line, in parts.
  fileprivate func parts(of index: Int, _ known: Set<UInt64>) -> [FileChange.Part] {
    withLine(index) { line in
      var parts: [FileChange.Part] = []
      var position = 0
      for place in ForeignSecrets.places(in: line) {
        let mark = mark(line.extracting(place))
        guard known.contains(mark) else { continue }
        parts += [.text(line.bytes(position..<place.lowerBound)), .secret(mark)]
        position = place.upperBound
      }
      return parts + [.text(line.bytes(position..<line.count))]
    }
  }

  /// The place of these lines that is nearest to another place, and not before `first`.
  fileprivate func place(of wanted: [UInt64], near expected: Int, from first: Int) -> Int? {
    let marks = marks + [Self.end]
    let last = marks.count - wanted.count
    guard first <= last, wanted != [Self.end] || last == 0 else { return nil }
    let start = min(max(expected, first), last)
    for distance in 0...max(last - start, start - first) {
      for place in [start - distance, start + distance] where first <= place && place <= last {
        if marks[place..<place + wanted.count].elementsEqual(wanted) { return place }
      }
    }
    return nil
  }
}
