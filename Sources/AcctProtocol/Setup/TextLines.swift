import AcctCrypto
package import Secrets

/// The lines of a file, which are compared by marks: the first bytes of their SHA-256.
///
/// A mark tells nothing of a line that is not known otherwise, so a record may keep it where the line may be a secret.
package struct TextLines: Sendable {
  let text: Secret
  /// `false` where there is no file.
  let isThere: Bool
  /// The range of each line, with its end.
  let places: [Range<Int>]
  let marks: [UInt64]
  /// In place of the mark of a line: the end of the file.
  static let end: UInt64 = 0

  /// - Parameter text: The file; `nil` if there is none.
  package init(_ text: Secret?) {
    isThere = text != nil
    let text = text ?? Secret("")
    self.text = text
    var places: [Range<Int>] = []
    marks = text.withBytes { bytes in
      var start = 0
      while start < bytes.count {
        var end = start
        while end < bytes.count, bytes[end] != 0x0A { end += 1 }
        end = min(end + 1, bytes.count)
        places.append(start..<end)
        start = end
      }
      return places.map { mark(bytes.extracting($0)) }
    }
    self.places = places
  }

  /// Lends the bytes of a line.
  func withLine<Result>(_ index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    text.withBytes { body($0.extracting(places[index])) }
  }

  func line(_ index: Int) -> Secret { withLine(index) { Secret($0) } }
}

/// A number that equal bytes have in common: the first bytes of their SHA-256.
func mark(_ bytes: Span<UInt8>) -> UInt64 { SHA256.hash(bytes)[..<8].reduce(0) { $0 << 8 | UInt64($1) } }

extension Secret {
  /// `true` for a file whose first lines say that a program makes it, and that changes in it do not last.
  package var isGenerated: Bool {
    let lines = TextLines(self)
    let head = (0..<min(10, lines.places.count)).map { lines.shown($0).lowercased() }.joined()
    return ["generated", "managed by"].contains(where: head.contains)
      && ["not edit", "n't edit", "not modify", "not change"].contains(where: head.contains)
  }
}
