import Text

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
