extension StringProtocol {
  /// The number of columns that the text takes on a terminal.
  package var displayWidth: Int {
    // Nearly every text is ASCII.
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return utf8.count }
    return reduce(0) { $0 + $1.displayWidth }
  }
}

extension Character {
  /// The number of columns that the character takes: none for one that only changes its neighbour, two for an emoji
  /// (however many are joined in it) and for the wide ones of East Asia, else one.
  var displayWidth: Int { isEmojiPicture ? 2 : unicodeScalars.reduce(0) { $0 + $1.displayWidth } }

  /// `true` if it shows as a picture by itself, or because of a scalar that follows in it: a variation selector, a
  /// skin colour, another emoji joined to it.
  private var isEmojiPicture: Bool {
    guard let first = unicodeScalars.first, first.properties.isEmoji else { return false }
    return first.properties.isEmojiPresentation
      || unicodeScalars.dropFirst().contains { scalar in
        scalar == "\u{FE0F}" || scalar.properties.isEmojiModifier || scalar.properties.isEmojiPresentation
      }
  }
}

extension Unicode.Scalar {
  fileprivate var displayWidth: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    switch value {
    // Vowels and final consonants of Hangul, which are drawn into the syllable's first letter.
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
    default: return properties.isEmojiPresentation || isWide ? 2 : 1
    }
  }

  private var isWide: Bool {
    var (low, high) = (0, wideCharacters.count)
    while low < high {
      let middle = (low + high) / 2
      if wideCharacters[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < wideCharacters.count && wideCharacters[low].contains(value)
  }
}
