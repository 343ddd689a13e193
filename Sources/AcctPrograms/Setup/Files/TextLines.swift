import AcctCrypto
package import Secrets

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
      var start = 0
      while start < bytes.count {
        var end = start
        while end < bytes.count, bytes[end] != 0x0A { end += 1 }
        end = min(end + 1, bytes.count)
        places.append(start..<end)
        start = end
      }
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
