import AcctModel

/// The head of a response, as `curl -D -` prints it.
package struct PrintedHead: Sendable {
  /// The status, where a status line stood before the fields.
  package var status: Int?
  /// The fields, in order.
  package var fields: [(name: String, value: String)]

  /// Reads the last of several heads: those of redirects and of `100 Continue` come before it.
  ///
  /// Lines end in CRLF or LF, and a blank line ends a head. A status line of any version of HTTP begins one; without
  /// any, blank lines alone part them. Fields behind the blank line are a response's trailers. Lines that are no
  /// fields are skipped: those of a body that came along, or of a log.
  ///
  /// - Parameter bytes: The printed bytes.
  /// - Returns: `nil` where there is neither a status line nor a field.
  package static func last(in bytes: [UInt8]) -> PrintedHead? {
    var last: PrintedHead?
    for block in blocks(bytes) {
      guard let head = PrintedHead(block) else { continue }
      if head.status == nil, let before = last, before.status != nil {
        // Only a block that consists of fields is a trailer; a body may have a colon in it as well.
        guard head.fields.count == block.count else { continue }
        last?.fields += head.fields
      } else {
        last = head
      }
    }
    return last
  }

  private init?(_ lines: [String]) {
    var lines = lines[...]
    status = lines.first.flatMap(statusCode)
    if status != nil { lines = lines.dropFirst() }
    fields = lines.compactMap(field)
    guard status != nil || !fields.isEmpty else { return nil }
  }
}

/// The lines between blank lines; a status line begins a new block in any case.
private func blocks(_ bytes: [UInt8]) -> [[String]] {
  var blocks: [[String]] = [[]]
  for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
    let content = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    let text = String(decoding: content, as: UTF8.self)
    if content.isEmpty {
      blocks.append([])
    } else if statusCode(text) != nil {
      blocks.append([text])
    } else if text.first == " " || text.first == "\t", let folded = blocks[blocks.count - 1].popLast() {
      // An obsolete fold (RFC 9112, section 5.2): the value goes on.
      blocks[blocks.count - 1].append("\(folded) \(trimmingBlanks(text))")
    } else {
      blocks[blocks.count - 1].append(text)
    }
  }
  return blocks.filter { !$0.isEmpty }
}

/// `HTTP/1.1 200 OK`, or `HTTP/2 200` and no reason.
private func statusCode(_ line: String) -> Int? {
  let words = line.split(separator: " ", maxSplits: 2)
  guard words.count >= 2, words[0].hasPrefix("HTTP/"), words[1].utf8.count == 3,
    let status = Int(words[1]), (100...599).contains(status)
  else { return nil }
  return status
}

/// `Name: value` (RFC 9110, section 5.1); nothing may stand between the name and its colon.
private func field(_ line: String) -> (name: String, value: String)? {
  guard let colon = line.firstIndex(of: ":") else { return nil }
  let name = line[..<colon]
  guard name.isHTTPToken else { return nil }
  return (String(name), trimmingBlanks(line[line.index(after: colon)...]))
}
