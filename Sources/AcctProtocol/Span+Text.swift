import AcctModel
package import Secrets
import Text

/// Reading a file that contains secrets: by positions, so that no copy is left behind unwiped.
extension Span<UInt8> {
  /// The lines, without their breaks (LF or CRLF).
  var lineRanges: [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    while start < count {
      var end = start
      while end < count, self[end] != 0x0A { end += 1 }
      let next = end + 1
      if end > start, self[end - 1] == 0x0D { end -= 1 }
      lines.append(start..<end)
      start = next
    }
    return lines
  }

  /// The number of the line that has a byte, from 1 on.
  package func line(of offset: Int) -> Int { 1 + (0..<Swift.min(offset, count)).count { self[$0] == 0x0A } }

  /// The number of the first line that is not UTF-8; `nil` if all are.
  package var lineOutsideUTF8: Int? {
    lineRanges.firstIndex { String(validating: bytes($0), as: UTF8.self) == nil }.map { $0 + 1 }
  }

  /// The range without spaces and tabs around it.
  package func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
    while start < end, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
    return start..<end
  }

  package func first(_ byte: Unicode.Scalar, in range: Range<Int>) -> Int? {
    let wanted = UInt8(ascii: byte)
    return range.first { self[$0] == wanted }
  }

  package func starts(_ range: Range<Int>, with text: StaticString) -> Bool {
    let text = text.description.utf8
    guard range.count >= text.count else { return false }
    return zip(range, text).allSatisfy { self[$0] == $1 }
  }

  /// The bytes as text that is no secret; `nil` if they are not UTF-8, or have control characters.
  package func text(_ range: Range<Int>) -> String? {
    let text = String(validating: range.map { self[$0] }, as: UTF8.self)
    return text.flatMap { text in text.utf8.contains { $0 < 0x20 || $0 == 0x7F } ? nil : text }
  }

  /// The bytes of a range that is no secret.
  package func bytes(_ range: Range<Int>) -> [UInt8] { range.map { self[$0] } }

  package func secret(_ range: Range<Int>) -> Secret { Secret(extracting(range)) }

  /// The bytes with `%XX` decoded as git does: one that is malformed, or zero, stands for itself.
  package func percentDecoded(_ range: Range<Int>) -> Secret {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      if index + 2 < range.upperBound, let byte = percentEscape(at: index), byte != 0 {
        decoded.append(byte)
        index += 3
      } else {
        decoded.append(self[index])
        index += 1
      }
    }
    return Secret(consuming: &decoded)
  }
}

extension Secret {
  /// The bytes as text, for text that is no secret, or that is meant for standard output.
  package var shownText: String { withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) } }

  /// The bytes as text that is no secret; `nil` if they are not UTF-8, or have control characters.
  package var plainText: String? { withBytes { $0.text(0..<$0.count) } }

  /// The bytes that base64 encodes (RFC 4648, section 4), with padding or without; `nil` if it is malformed.
  package var base64Decoded: Secret? {
    withBytes { bytes in
      var text: [UInt8] = []
      text.reserveCapacity(bytes.count)
      for index in bytes.indices where bytes[index] != UInt8(ascii: "=") {
        switch bytes[index] {
        case UInt8(ascii: "+"): text.append(UInt8(ascii: "-"))
        case UInt8(ascii: "/"): text.append(UInt8(ascii: "_"))
        case let other: text.append(other)
        }
      }
      defer { wipe(&text) }
      guard var decoded = try? Base64URL.decode(text.span) else { return nil }
      return Secret(consuming: &decoded)
    }
  }
}

extension String {
  /// A path with one slash before it and none behind it; `nil` for the root.
  package var trimmedPath: String? {
    let slash = UInt8(ascii: "/")
    guard let first = utf8.firstIndex(where: { $0 != slash }), let last = utf8.lastIndex(where: { $0 != slash }) else {
      return nil
    }
    return "/\(self[first...last])"
  }
}
