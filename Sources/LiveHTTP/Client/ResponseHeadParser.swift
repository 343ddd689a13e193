import AcctModel
import AcctPorts
import Glibc
import Text

/// Puts a response's head together from its lines (RFC 9112, sections 4 and 5).
struct ResponseHeadParser {
  /// More than any server has to say before the body, in bytes.
  private static let limit = 1 << 17

  private var head: ResponseHead?
  private var size = 0
  private(set) var isComplete = false

  /// Takes the next line; lines behind the head, such as trailers, are skipped.
  ///
  /// - Parameter line: With its line break.
  /// - Returns: The head, if this was the line that ends it. An interim response (1xx) has none.
  /// - Throws: ``HTTPFailure/malformed``.
  mutating func take(_ line: Span<UInt8>) throws(HTTPFailure) -> ResponseHead? {
    guard !isComplete else { return nil }
    size += line.count
    guard size <= Self.limit else { throw .malformed }
    var end = line.count
    while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
    let line = line.extracting(..<end)
    // Taken, not copied: else each line would cost as much as all the fields before it.
    guard var head = self.head.take() else {
      self.head = try Self.status(FieldText.text(line))
      return nil
    }
    if line.isEmpty {
      // No request of ours asks for another protocol: the bytes behind a 101 are not HTTP.
      guard head.status != 101 else { throw .malformed }
      guard head.status >= 200 else { return nil }
      isComplete = true
      return try Self.withOneFraming(head)
    }
    try Self.add(line, to: &head)
    self.head = head
    return nil
  }

  /// The head with one statement of where the body ends (RFC 9112, section 6.3).
  ///
  /// Two readers of contradictory statements see two different bodies, and one may take the rest of
  /// what the other sees for an answer of another server. An encoding precedes a length, which is
  /// dropped. There is one length: repeated equal values would be valid (RFC 9110, section 8.6),
  /// and no server needs them.
  private static func withOneFraming(_ head: ResponseHead) throws(HTTPFailure) -> ResponseHead {
    var head = head
    if head.fields.contains(where: { $0.name.isSameField(as: "transfer-encoding") }) {
      head.fields.removeAll { $0.name.isSameField(as: "content-length") }
      return head
    }
    let lengths = head.fields.filter { $0.name.isSameField(as: "content-length") }
    guard lengths.count <= 1,
      lengths.allSatisfy({
        $0.value.utf8.allSatisfy(\.isASCIIDigit) && Int64($0.value) != nil
      })
    else { throw .malformed }
    return head
  }

  private static func status(_ text: String) throws(HTTPFailure) -> ResponseHead {
    let words = text.utf8.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count >= 2, words[0].starts(with: "HTTP/".utf8), words[1].count == 3,
      let status = UInt16(Substring(words[1])), status >= 100
    else { throw .malformed }
    var head = ResponseHead(status: Int(status), statusLine: text, fields: [])
    head.fields.reserveCapacity(16)
    return head
  }

  private static func add(_ line: Span<UInt8>, to head: inout ResponseHead) throws(HTTPFailure) {
    if isBlank(line[0]) {
      // A value may go on in the next line (section 5.2), which recipients join by a space.
      guard let last = head.fields.indices.last else { throw .malformed }
      head.fields[last].value += " " + value(in: line)
      return
    }
    var colon = 0
    while colon < line.count, line[colon].isHTTPTokenCharacter { colon += 1 }
    guard 0 < colon, colon < line.count, line[colon] == UInt8(ascii: ":") else { throw .malformed }
    head.fields.append((FieldText.text(line.extracting(..<colon)), value(in: line.extracting((colon + 1)...))))
  }

  /// Blanks around a value are no part of it (RFC 9110, section 5.5).
  private static func value(in line: Span<UInt8>) -> String {
    var (start, end) = (0, line.count)
    while start < end, isBlank(line[start]) { start += 1 }
    while start < end, isBlank(line[end - 1]) { end -= 1 }
    return FieldText.text(line.extracting(start..<end))
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
