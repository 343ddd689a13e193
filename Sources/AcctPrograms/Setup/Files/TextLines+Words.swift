import AcctProtocol
import Secrets

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
