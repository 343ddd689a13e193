import AcctCrypto
package import Secrets
package import StrictJSON

/// A change of a file that can be undone byte for byte, without a copy of the file.
///
/// The contents before are described by pieces of those after: only bytes that the change took out of the file are kept
/// here, so a secret that stays in the file is in the file alone.
package struct FileChange: Equatable, Sendable {
  private enum Piece: Equatable, Sendable {
    /// A range of the contents after.
    case kept(Range<Int>)
    case removed([UInt8])
  }

  /// The SHA-256 of the contents; `nil` where there was no file.
  private var before: [UInt8]?
  private var after: [UInt8]?
  private var pieces: [Piece] = []

  package init(from before: Secret?, to after: Secret?) {
    self.before = before.map(Self.digest)
    self.after = after.map(Self.digest)
    guard let before else { return }
    let after = after ?? Secret("")
    pieces = before.withBytes { before in after.withBytes { Self.pieces(of: before, in: $0) } }
  }

  /// The state of a file in relation to the change.
  package enum Position: Equatable, Sendable {
    case before, after
    /// Another program has written it since.
    case elsewhere
  }

  package func position(of contents: Secret?) -> Position {
    let digest = contents.map(Self.digest)
    return digest == after ? .after : digest == before ? .before : .elsewhere
  }

  /// A file before the change.
  package struct Earlier: Equatable, Sendable {
    /// `nil` where there was no file.
    package let contents: Secret?

    package init(_ contents: Secret?) { self.contents = contents }
  }

  /// The file before the change.
  ///
  /// - Parameter contents: The contents after it; `nil` for no file.
  /// - Returns: The file; `nil` if these are not the contents after the change, or the record is damaged.
  package func undone(_ contents: Secret?) -> Earlier? {
    guard position(of: contents) == .after else { return nil }
    guard before != nil else { return Earlier(nil) }
    let parts = (contents ?? Secret("")).withBytes { bytes -> [Secret]? in
      var parts: [Secret] = []
      for piece in pieces {
        switch piece {
        case .kept(let range):
          guard range.upperBound <= bytes.count else { return nil }
          parts.append(Secret(bytes.extracting(range)))
        case .removed(let removed): parts.append(Secret(removed))
        }
      }
      return parts
    }
    guard let parts else { return nil }
    let whole = Secret(joining: parts)
    return Self.digest(whole) == before ? Earlier(whole) : nil
  }

  private static func digest(_ secret: Secret) -> [UInt8] { secret.withBytes { SHA256.hash($0) } }
}

extension FileChange {
  /// The number of equal bytes that are worth a piece of their own.
  private static let least = 4
  /// The most places of the same bytes that are compared.
  private static let candidates = 16

  private static func pieces(of before: Span<UInt8>, in after: Span<UInt8>) -> [Piece] {
    var start = 0
    while start < min(before.count, after.count), before[start] == after[start] { start += 1 }
    var (end, rest) = (before.count, after.count)
    while end > start, rest > start, before[end - 1] == after[rest - 1] { (end, rest) = (end - 1, rest - 1) }
    var pieces: [Piece] = []
    if start > 0 { pieces.append(.kept(0..<start)) }
    // Of the contents after, only the places of what is sought are noted.
    var places: [UInt32: [Int]] = [:]
    for index in start..<max(start, end - least + 1) { places[key(before, index)] = [] }
    for index in 0..<max(0, after.count - least + 1) where !places.isEmpty {
      guard let known = places.index(forKey: key(after, index)) else { continue }
      places.values[known].append(index)
    }
    var removed: [UInt8] = []
    var position = start
    while position < end {
      let found = position + least <= before.count ? places[key(before, position)] ?? [] : []
      var best = 0..<0
      for place in found.suffix(candidates) {
        var length = 0
        while position + length < end, place + length < after.count,
          before[position + length] == after[place + length]
        { length += 1 }
        if length > best.count { best = place..<place + length }
      }
      guard best.count >= least else {
        removed.append(before[position])
        position += 1
        continue
      }
      if !removed.isEmpty { pieces.append(.removed(removed)) }
      removed = []
      pieces.append(.kept(best))
      position += best.count
    }
    if !removed.isEmpty { pieces.append(.removed(removed)) }
    if rest < after.count { pieces.append(.kept(rest..<after.count)) }
    return pieces
  }

  /// As many bytes as ``least`` in one number.
  private static func key(_ bytes: Span<UInt8>, _ index: Int) -> UInt32 {
    UInt32(bytes[index]) << 24 | UInt32(bytes[index + 1]) << 16 | UInt32(bytes[index + 2]) << 8
      | UInt32(bytes[index + 3])
  }
}

extension FileChange {
  /// The form in which it is stored.
  package var json: JSON {
    let pieces = pieces.map { piece -> JSON in
      switch piece {
      case .kept(let range): [.number(JSONNumber(Int64(range.lowerBound))), .number(JSONNumber(Int64(range.count)))]
      case .removed(let bytes): .string(Base64URL.encode(bytes.span))
      }
    }
    return [
      "before": JSON(before.map { Base64URL.encode($0.span) }), "after": JSON(after.map { Base64URL.encode($0.span) }),
      "pieces": .array(pieces),
    ]
  }

  /// Parses the form in which it is stored; `nil` if it is malformed.
  package init?(_ json: JSON?) {
    guard let object = json?.objectValue, let pieces = object["pieces"]?.arrayValue else { return nil }
    before = object["before"]?.stringValue.flatMap(decoded)
    after = object["after"]?.stringValue.flatMap(decoded)
    for piece in pieces {
      if let removed = piece.stringValue.flatMap(decoded) {
        self.pieces.append(.removed(removed))
      } else if let range = piece.arrayValue?.map({ $0.numberValue?.integer ?? -1 }), range.count == 2,
        range.allSatisfy({ 0...Int64(1 << 20) ~= $0 })
      {
        self.pieces.append(.kept(Int(range[0])..<Int(range[0] + range[1])))
      } else {
        return nil
      }
    }
  }
}

private func decoded(_ text: String) -> [UInt8]? { try? Base64URL.decode(text) }
