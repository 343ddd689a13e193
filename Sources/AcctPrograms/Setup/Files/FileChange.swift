import AcctModel
import AcctProtocol
package import Secrets
package import StrictJSON

/// A change of a file that can be undone: its line diff, of which only the lines that left the file are kept as they were.
///
/// The lines around them and those that replaced them are known by their marks, and a word that is still in the file is
/// known by its own: a secret is in the file alone, also one that does not look like one.
package struct FileChange: Equatable, Sendable {
  /// The key of the marks and digests; empty in a record of an earlier version.
  var salt: [UInt8]
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
    /// A word, or a possible secret, that the file still has.
    case secret(UInt64)
  }

  /// - Parameters:
  ///   - diff: The change.
  ///   - salt: Random bytes; empty for a file without secrets.
  package init(_ diff: LineDiff, salt: [UInt8] = []) {
    self.salt = salt
    let (old, new) = (diff.before.salted(salt), diff.after.salted(salt))
    before = old.isThere ? old.digest : nil
    after = new.isThere ? new.digest : nil
    // Most changes take nothing out of a file.
    let known: Set<UInt64> = diff.changes.allSatisfy { $0.before.isEmpty } ? [] : Set(new.words.keys)
    hunks = diff.hunks.map { hunk in
      let lines = hunk.lines.map { line -> Line in
        switch line {
        case .kept(let index): .kept(new.marks[index])
        case .added(let index): .added(new.marks[index])
        case .removed(let index): .removed(old.parts(of: index, known))
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
    let file = TextLines(contents, salt: salt)
    let words = hunks.hasWords ? file.words : [:]
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
          guard let line = file.text(of: parts, words) else { return nil }
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
    let file = TextLines(contents, salt: salt)
    let known = file.words
    let removed = (hunks ?? []).flatMap(\.lines).compactMap { line in
      if case .removed(let parts) = line { file.text(of: parts, known) } else { nil }
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

  private func digest(_ contents: Secret?) -> [UInt8]? {
    contents.map { $0.withBytes { AcctPrograms.digest(of: $0, Secret(salt)) } }
  }
}

extension [FileChange.Hunk] {
  fileprivate var hasWords: Bool {
    flatMap(\.lines).contains { line in
      guard case .removed(let parts) = line else { return false }
      return parts.contains { part in if case .secret = part { true } else { false } }
    }
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
  fileprivate var digest: [UInt8] { text.withBytes { AcctPrograms.digest(of: $0, salt) } }

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

extension FileChange {
  /// The form in which it is stored: a hunk is its first line's number, then its lines, of which a removed one is an array.
  package var json: JSON {
    let hunks = hunks.map { hunks in
      JSON.array(hunks.map { .array([Self.number($0.start)] + $0.lines.map(Self.json)) })
    }
    return [
      "before": JSON(before.map { Base64URL.encode($0.span) }), "after": JSON(after.map { Base64URL.encode($0.span) }),
      "salt": JSON(salt.isEmpty ? nil : Base64URL.encode(salt.span)), "hunks": hunks ?? .null,
      // An earlier version drops a record without them when it writes the file.
      "pieces": .array([]),
    ]
  }

  /// Parses the form in which it is stored; `nil` if it is malformed.
  package init?(_ json: JSON?) {
    guard let object = json?.objectValue else { return nil }
    before = object["before"]?.stringValue.flatMap(Self.bytes)
    after = object["after"]?.stringValue.flatMap(Self.bytes)
    salt = object["salt"]?.stringValue.flatMap(Self.bytes) ?? []
    // Earlier versions recorded pieces of the file.
    guard let stored = object["hunks"]?.arrayValue else {
      guard object["pieces"]?.arrayValue != nil else { return nil }
      return
    }
    var hunks: [Hunk] = []
    for hunk in stored {
      guard let members = hunk.arrayValue, let start = members.first?.numberValue?.integer.flatMap(Int.init(exactly:)),
        0...(1 << 20) ~= start
      else { return nil }
      let lines = members.dropFirst().compactMap(Self.line)
      guard lines.count == members.count - 1 else { return nil }
      hunks.append(Hunk(start: start, lines: lines))
    }
    self.hunks = hunks
  }

  private static func json(_ line: Line) -> JSON {
    switch line {
    case .kept(let mark): .string(" \(mark)")
    case .added(let mark): .string("+\(mark)")
    case .removed(let parts):
      .array(
        parts.map { part in
          switch part {
          case .text(let bytes): .string(Base64URL.encode(bytes.span))
          case .secret(let mark): .array([.string("\(mark)")])
          }
        }
      )
    }
  }

  private static func line(_ json: JSON) -> Line? {
    if let text = json.stringValue {
      guard let mark = UInt64(text.dropFirst()) else { return nil }
      return text.first == "+" ? .added(mark) : text.first == " " ? .kept(mark) : nil
    }
    let parts = json.arrayValue?.map { part -> Part? in
      if let text = part.stringValue { return bytes(text).map(Part.text) }
      return part.arrayValue?.first?.stringValue.flatMap { UInt64($0) }.map(Part.secret)
    }
    guard let parts, !parts.contains(nil) else { return nil }
    return .removed(parts.compactMap(\.self))
  }

  private static func number(_ value: Int) -> JSON { .number(JSONNumber(Int64(value))) }
  private static func bytes(_ text: String) -> [UInt8]? { try? Base64URL.decode(text) }
}
