import AcctPorts

/// Puts a response's head together from its lines (RFC 9112, sections 4 and 5).
struct ResponseHeadParser {
  /// More than any server has to say before the body, in bytes.
  private static let limit = 1 << 17

  private var head: ResponseHead?
  private var size = 0
  private(set) var isComplete = false

  /// Takes the next line; what comes behind the head, such as trailers, is passed over.
  ///
  /// - Parameter line: With its line break.
  /// - Returns: The head, if this was the line that ends it. An interim response (1xx) has none.
  /// - Throws: ``HTTPFailure/malformed``.
  mutating func take(_ line: String) throws(HTTPFailure) -> ResponseHead? {
    guard !isComplete else { return nil }
    size += line.utf8.count
    guard size <= Self.limit else { throw .malformed }
    let line = line.utf8.reversed().drop { $0 == 0x0A || $0 == 0x0D }.reversed()
    let text = String(decoding: Array(line), as: UTF8.self)
    guard var head else {
      self.head = try Self.status(text)
      return nil
    }
    if text.isEmpty {
      self.head = nil
      guard head.status >= 200 || head.status == 101 else { return nil }
      isComplete = true
      return head
    }
    try Self.add(text, to: &head)
    self.head = head
    return nil
  }

  private static func status(_ text: String) throws(HTTPFailure) -> ResponseHead {
    let words = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count >= 2, words[0].hasPrefix("HTTP/"), words[1].utf8.count == 3,
      let status = UInt16(words[1]), status >= 100
    else { throw .malformed }
    return ResponseHead(status: Int(status), statusLine: text, fields: [])
  }

  private static func add(_ text: String, to head: inout ResponseHead) throws(HTTPFailure) {
    if text.hasPrefix(" ") || text.hasPrefix("\t") {
      // A value may go on in the next line (section 5.2), which recipients join by a space.
      guard let last = head.fields.indices.last else { throw .malformed }
      head.fields[last].value += " " + withoutBlanks(text[...])
      return
    }
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed }
    let name = String(text[..<colon])
    guard isToken(name) else { throw .malformed }
    head.fields.append((name, withoutBlanks(text[text.utf8.index(after: colon)...])))
  }
}

/// Blanks around a value are no part of it (RFC 9110, section 5.5).
private func withoutBlanks(_ text: Substring) -> String {
  let start = text.utf8.drop { $0 == 0x20 || $0 == 0x09 }
  let end = start.reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed()
  return String(decoding: Array(end), as: UTF8.self)
}
