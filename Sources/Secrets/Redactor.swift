import Text

/// Redacts secrets in text from outside: each part of a secret that a server returned becomes `<redacted>`.
///
/// A secret is found as it is, escaped (`%2F`, `\/`, `\u002f`) and in base64 of either alphabet at
/// any alignment, whole or in part from ``shortest`` characters on. A match is decided by bytes
/// alone, so a message that happens to share 8 characters with a token loses them.
package struct Redactor: Sendable {
  private let secrets: [Secret]

  /// - Parameter secrets: The secrets to redact.
  package init(_ secrets: [Secret]) { self.secrets = secrets }

  /// Redacts nothing: for text that can't contain a secret.
  package static let none = Redactor([])

  /// The number of consecutive characters of a secret that are found, at any position in it.
  ///
  /// A secret of 4 to 7 characters is found as a whole word; a shorter one is not a secret, and never found.
  package static let shortest = 8

  /// The most bytes of a text that are shown; a message fits on one line.
  private static let limit = 1 << 14

  /// Replaces each run of a secret in a text.
  ///
  /// - Parameter text: From outside.
  /// - Returns: The text, cut after 16 KiB.
  package func redact(_ text: String) -> String {
    let isCut = text.utf8.count > Self.limit
    let bytes = isCut ? Array(text.utf8.prefix(Self.limit)) : Array(text.utf8)
    let marks = marks(in: bytes)
    guard isCut || marks.contains(true) else { return text }
    var shown: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if !marks[index] {
        shown.append(byte)
      } else if index == 0 || !marks[index - 1] {
        shown += "<redacted>".utf8
      }
    }
    return String(decoding: shown, as: UTF8.self) + (isCut ? "…" : "")
  }

  /// Returns `true` if a text contains a part of a secret.
  package func finds(in text: String) -> Bool { marks(in: Array(text.utf8)).contains(true) }

  /// Returns `true` if a text contains a whole secret.
  ///
  /// Tokens of one kind begin alike, as JWTs do: a shared part does not show that a value of the server's own comes
  /// from the secret.
  package func findsWhole(in text: String) -> Bool {
    let bytes = Array(text.utf8)
    return secrets.contains { secret in
      secret.count <= bytes.count && Redactor([secret]).marks(in: bytes).count { $0 } >= secret.count
    }
  }

  /// Returns a mark for each byte: `true` if it belongs to a secret.
  private func marks(in bytes: [UInt8]) -> [Bool] {
    var marks = Array(repeating: false, count: bytes.count)
    guard !secrets.isEmpty, bytes.count >= 4 else { return marks }
    let windows = SecretWindows(secrets)
    // Text that is escaped twice occurs where one server quotes another.
    var view: TextView? = TextView(bytes)
    for _ in 0..<3 {
      guard let plain = view else { break }
      windows.mark(plain, in: &marks)
      for decoded in plain.decoded {
        windows.mark(decoded, in: &marks)
        if let inner = decoded.unescaped { windows.mark(inner, in: &marks) }
      }
      view = plain.unescaped
    }
    return marks
  }
}

/// The search patterns of the secrets: every 8 consecutive bytes of one.
///
/// Several of them overlap in a longer run, so each byte of a text needs one look-up.
private struct SecretWindows {
  private var windows: Set<UInt64> = []
  private var words: [[UInt8]] = []

  init(_ secrets: [Secret]) {
    for secret in secrets {
      secret.withBytes { span in
        if span.count < Redactor.shortest {
          if span.count >= 4 { words.append(span.indices.map { span[$0] }) }
          return
        }
        var window: UInt64 = 0
        for index in span.indices {
          window = window << 8 | UInt64(span[index])
          if index >= Redactor.shortest - 1 { windows.insert(window) }
        }
      }
    }
  }

  /// Marks the bytes of the original text that a view shows a secret in.
  func mark(_ view: TextView, in marks: inout [Bool]) {
    var window: UInt64 = 0
    for (index, byte) in view.bytes.enumerated() {
      window = window << 8 | UInt64(byte)
      let first = index - (Redactor.shortest - 1)
      guard first >= 0, windows.contains(window) else { continue }
      for place in view.starts[first]..<view.ends[index] { marks[place] = true }
    }
    for word in words where view.bytes.count >= word.count {
      for first in 0...(view.bytes.count - word.count)
      where view.bytes[first..<(first + word.count)].elementsEqual(word) && view.isWord(first..<(first + word.count)) {
        for place in view.starts[first]..<view.ends[first + word.count - 1] { marks[place] = true }
      }
    }
  }
}

/// One reading of a text, each byte with its position in the original.
struct TextView {
  private(set) var bytes: [UInt8] = []
  /// The offset in the original at which each byte begins.
  private(set) var starts: [Int] = []
  /// The offset in the original at which each byte ends.
  private(set) var ends: [Int] = []

  private init() {}

  /// The original itself.
  init(_ original: [UInt8]) {
    bytes = original
    starts = Array(original.indices)
    ends = starts.map { $0 + 1 }
  }

  private mutating func append(_ byte: UInt8, _ start: Int, _ end: Int) {
    bytes.append(byte)
    starts.append(start)
    ends.append(end)
  }

  /// Returns `true` if no letter or digit is next to the range.
  func isWord(_ range: Range<Int>) -> Bool {
    let before = range.lowerBound > 0 ? bytes[range.lowerBound - 1] : 0
    let after = range.upperBound < bytes.count ? bytes[range.upperBound] : 0
    return !before.isASCIIAlphanumeric && !after.isASCIIAlphanumeric
  }

  /// The reading without `%XX`, `\uXXXX` and `\` before another character; `nil` if it is the same.
  var unescaped: TextView? {
    guard bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "\\") }) else { return nil }
    var view = TextView()
    var index = 0
    while index < bytes.count {
      let (byte, length) = unit(at: index)
      view.append(byte, starts[index], ends[index + length - 1])
      index += length
    }
    return view.bytes == bytes ? nil : view
  }

  /// The byte at an index, and the number of bytes that encode it.
  private func unit(at index: Int) -> (byte: UInt8, length: Int) {
    let left = bytes.count - index
    if bytes[index] == UInt8(ascii: "%"), left > 2, let byte = hexadecimal(index + 1, 2) { return (UInt8(byte), 3) }
    guard bytes[index] == UInt8(ascii: "\\"), left > 1 else { return (bytes[index], 1) }
    if bytes[index + 1] == UInt8(ascii: "u"), left > 5, let value = hexadecimal(index + 2, 4), value < 0x80 {
      return (UInt8(value), 6)
    }
    return (bytes[index + 1], 2)
  }

  private func hexadecimal(_ index: Int, _ count: Int) -> Int? {
    var value = 0
    for byte in bytes[index..<(index + count)] {
      guard let digit = byte.hexadecimalValue else { return nil }
      value = value << 4 | Int(digit)
    }
    return value
  }

  /// The decoded text of each stretch of base64, from each of its first four characters: where in a
  /// word the encoded text begins is unknown.
  var decoded: [TextView] {
    var views: [TextView] = []
    var start = 0
    while start < bytes.count {
      guard sextet(bytes[start]) != nil else {
        start += 1
        continue
      }
      var end = start
      while end < bytes.count, sextet(bytes[end]) != nil { end += 1 }
      // 6 characters hold the shortest secret that is looked for.
      if end - start >= 6 {
        for phase in 0..<4 { views.append(decoded(from: start + phase, to: end)) }
      }
      start = end
    }
    return views
  }

  private func decoded(from start: Int, to end: Int) -> TextView {
    var view = TextView()
    var (bits, count): (UInt32, Int) = (0, 0)
    for index in start..<end {
      bits = bits << 6 | UInt32(sextet(bytes[index]) ?? 0)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      let first = start + 8 * view.bytes.count / 6
      view.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)), starts[first], ends[index])
    }
    return view
  }
}

/// The value of a base64 character, in either alphabet (RFC 4648, sections 4 and 5); `nil` for any other.
private func sextet(_ byte: UInt8) -> UInt8? {
  switch byte {
  case 0x41...0x5A: byte - 0x41
  case 0x61...0x7A: byte - 0x47
  case 0x30...0x39: byte + 4
  case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
  case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
  default: nil
  }
}
