/// The look of a machine's name: equal for two names that a reader may take for each other.
///
/// It is the skeleton of UTS #39 for names that are mostly ASCII, and folds case, width and what does not show as well.
/// Non-ASCII characters that look alike, but like no ASCII, stay apart; so do sequences such as `rn` and `m`. `i`, `l` and
/// `1` are one: `I` is an `i` by its case and an `l` by its looks. Names that show nothing share the empty skeleton.
package struct NameSkeleton: Hashable, Sendable {
  /// Strings are equal if they are canonically equivalent: what stays non-ASCII needs no normalization.
  private let text: String

  package init(_ name: String) {
    var scalars = String.UnicodeScalarView()
    for scalar in name.unicodeScalars { scalars.appendFolded(scalar) }
    text = String(scalars)
  }
}

extension String.UnicodeScalarView {
  fileprivate mutating func appendFolded(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x00...0x7F: appendFolded(ascii: UInt8(truncatingIfNeeded: scalar.value))
    // Fullwidth ASCII.
    case 0xFF01...0xFF5E: appendFolded(ascii: UInt8(truncatingIfNeeded: scalar.value - 0xFF01 + 0x21))
    // Mathematical alphabets of 52 letters each, and digits.
    case 0x1D400...0x1D6A3: appendFolded(ascii: UInt8(ascii: "a") + UInt8((scalar.value - 0x1D400) % 26))
    case 0x1D7CE...0x1D7FF: appendFolded(ascii: UInt8(ascii: "0") + UInt8((scalar.value - 0x1D7CE) % 10))
    default: appendFolded(nonASCII: scalar)
    }
  }

  private mutating func appendFolded(ascii byte: UInt8) {
    switch byte {
    case 0...UInt8(ascii: " "), 0x7F: break
    case UInt8(ascii: "0"): append("o")
    case UInt8(ascii: "1"), UInt8(ascii: "I"), UInt8(ascii: "i"), UInt8(ascii: "|"): append("l")
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): append(Unicode.Scalar(byte | 0x20))
    case UInt8(ascii: "["): append("(")
    case UInt8(ascii: "]"): append(")")
    case UInt8(ascii: "`"): append("'")
    case UInt8(ascii: "\""): append(contentsOf: "''".unicodeScalars)
    default: append(Unicode.Scalar(byte))
    }
  }

  private mutating func appendFolded(nonASCII scalar: Unicode.Scalar) {
    guard !scalar.isInvisible else { return }
    if scalar.isDiacritic {
      // "é" is taken for "e"; in other scripts marks make letters of their own.
      if let last, !last.isASCII { append(scalar) }
      return
    }
    guard !appendPrototype(of: scalar) else { return }
    append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
  }

  /// - Returns: `false` if the character looks like no ASCII.
  private mutating func appendPrototype(of scalar: Unicode.Scalar) -> Bool {
    var isFound = false
    var hasAppended = false
    for entry in confusables.unicodeScalars {
      if entry == scalar {
        isFound = true
      } else if isFound, entry.isASCII {
        append(entry)
        hasAppended = true
      } else if hasAppended {
        break
      }
    }
    return hasAppended
  }
}

extension Unicode.Scalar {
  /// `true` if a reader sees nothing of it, or a blank.
  fileprivate var isInvisible: Bool {
    guard self != "\u{2800}" else { return true }  // braille without dots
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: true
    default: properties.isDefaultIgnorableCodePoint
    }
  }

  /// `true` for a mark above, below, across or around a letter.
  ///
  /// Vowel signs have a combining class of 0 or, in Tibetan, of 129 to 132; they decompose into each other.
  fileprivate var isDiacritic: Bool {
    switch properties.generalCategory {
    case .nonspacingMark: ![0, 129, 130, 132].contains(properties.canonicalCombiningClass.rawValue)
    case .enclosingMark: true
    default: false
    }
  }
}

/// Names under which a reader can tell the holders apart.
///
/// A name whose skeleton is no other's stays as it is. All others get a number, in the order of their identifiers, so
/// that each machine shows the same: `build-1`, `build-2`. A number that would make a name look like another of the
/// list is left out. A new holder may shift the numbers: a choice that matters is made by identifier.
///
/// - Parameters:
///   - names: The holders; of an identifier that is there twice the first entry counts.
///   - reserved: Names that no holder may have without a number.
/// - Returns: The name of each identifier. It is not yet safe to show: see ``printableASCII(_:)``.
package func distinctNames(
  _ names: [(id: String, name: String)],
  besides reserved: [String] = []
) -> [String: String] {
  let named = Dictionary(names.map { ($0.id, $0.name) }) { first, _ in first }
  let alike = Dictionary(grouping: named) { NameSkeleton($0.value) }
  let reserved = reserved.map(NameSkeleton.init)
  var distinct = named
  for (skeleton, holders) in alike where holders.count > 1 || reserved.contains(skeleton) {
    var number = 0
    for (id, name) in holders.sorted(by: { $0.key < $1.key }) {
      // Names of other skeletons get other results, since the number behind the last hyphen has none.
      var numbered: String
      repeat {
        number += 1
        numbered = "\(name)-\(number)"
      } while alike[NameSkeleton(numbered)] != nil || reserved.contains(NameSkeleton(numbered))
      distinct[id] = numbered
    }
  }
  return distinct
}
