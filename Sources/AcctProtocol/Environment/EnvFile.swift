package import Secrets
import Text

/// A `.env` file: variables with their values, as dotenv and its relatives read them.
///
/// There is no standard. Where programs differ, the reading that drops nothing of a value counts: a `#` begins a comment
/// only behind white space, a quotation mark that does not end stands for itself, and `$NAME` is text.
package struct EnvFile: Sendable {
  /// The variables, in the order of the file; one may be there several times, and the last one counts.
  package let entries: [Entry]

  package struct Entry: Sendable {
    package let variable: String
    package let value: Secret
    /// The bytes of the value, without its quotation marks.
    package let place: Range<Int>
    /// The mark before and behind the value; `nil` for a value without.
    package let quote: Unicode.Scalar?
    /// The line of the name, from 1 on.
    package let line: Int
  }

  /// The most bytes of a file.
  package static let limit = 1 << 20

  /// Reads a file.
  ///
  /// - Throws: ``EnvFlaw``.
  package init(parsing contents: Secret) throws(EnvFlaw) {
    entries = try contents.withBytes { bytes throws(EnvFlaw) in
      do { _ = try UTF8Span(validating: bytes) } catch {
        throw EnvFlaw(line: bytes.lineOutsideUTF8 ?? 1, .encoding)
      }
      if let zero = bytes.first("\0", in: 0..<bytes.count) { throw EnvFlaw(line: bytes.line(of: zero), .zero) }
      var scanner = EnvScanner(bytes)
      var entries: [Entry] = []
      while let entry = try scanner.next(bytes) { entries.append(entry) }
      return entries
    }
  }
}

/// Why a file can't be read as a `.env` file.
package struct EnvFlaw: Error, Equatable, Sendable {
  package let line: Int
  package let reason: Reason

  package enum Reason: Equatable, Sendable {
    /// It begins with no name of a variable.
    case name
    /// Behind the name is no `=`.
    case equals
    /// Something follows a quoted value.
    case rest
    case zero
    case encoding
  }

  init(line: Int, _ reason: Reason) {
    self.line = line
    self.reason = reason
  }
}

/// The part of a file that is not read yet.
private struct EnvScanner {
  private var position: Int
  private var line = 1

  init(_ bytes: Span<UInt8>) {
    // A byte order mark.
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    position = bytes.count >= mark.count && mark.indices.allSatisfy { bytes[$0] == mark[$0] } ? mark.count : 0
  }

  /// The next variable; `nil` at the end.
  mutating func next(_ bytes: Span<UInt8>) throws(EnvFlaw) -> EnvFile.Entry? {
    var (name, line) = (0..<0, line)
    while true {
      skipBlanks(bytes)
      guard position < bytes.count else { return nil }
      // systemd has `;`, too.
      if !isEnd(bytes, comment: "#;") {
        line = self.line
        name = word(bytes)
        guard name.count == 6, bytes.starts(name, with: "export") else { break }
        skipBlanks(bytes)
        let next = word(bytes)
        if next.isEmpty { break }
        name = next
        skipBlanks(bytes)
        // A variable that an earlier line has set.
        if !isEnd(bytes, comment: "#") { break }
      }
      skipLine(bytes)
    }
    guard !name.isEmpty else { throw EnvFlaw(line: line, .name) }
    skipBlanks(bytes)
    guard isAssignment(bytes) else { throw EnvFlaw(line: line, .equals) }
    position += 1
    skipBlanks(bytes)
    let variable = String(decoding: bytes.bytes(name), as: UTF8.self)
    let (value, place, quote) = try value(bytes)
    skipLine(bytes)
    return EnvFile.Entry(variable: variable, value: value, place: place, quote: quote, line: line)
  }

  /// The characters of a name: some programs take points and hyphens, too.
  private mutating func word(_ bytes: Span<UInt8>) -> Range<Int> {
    let start = position
    while position < bytes.count, bytes[position].isASCIIAlphanumeric || "_.-".utf8.contains(bytes[position]) {
      position += 1
    }
    return start..<position
  }

  /// `true` for `=`, and for a colon with a space behind it, as in YAML.
  private func isAssignment(_ bytes: Span<UInt8>) -> Bool {
    guard position < bytes.count else { return false }
    if bytes[position] == UInt8(ascii: "=") { return true }
    let isColon = bytes[position] == UInt8(ascii: ":") && position + 1 < bytes.count
    return isColon && (bytes[position + 1] == 0x20 || bytes[position + 1] == 0x09)
  }

  /// Reads the value, up to the end of its line or a comment.
  private mutating func value(
    _ bytes: Span<UInt8>
  ) throws(EnvFlaw) -> (Secret, place: Range<Int>, quote: Unicode.Scalar?) {
    if position < bytes.count, "\"'`".utf8.contains(bytes[position]), let end = closing(bytes) {
      let quote = Unicode.Scalar(bytes[position])
      let place = position + 1..<end
      line += breaks(bytes, place)
      position = end + 1
      skipBlanks(bytes)
      guard isEnd(bytes, comment: "#") else { throw EnvFlaw(line: line, .rest) }
      return (unquoted(bytes, place, quote), place, quote)
    }
    var end = position
    while end < bytes.count, !"\r\n".utf8.contains(bytes[end]) {
      if bytes[end] == UInt8(ascii: "#"), bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { break }
      end += 1
    }
    let place = bytes.trimmed(position..<end)
    position = end
    return (bytes.secret(place), place, nil)
  }

  /// The mark that ends the value at the position; one behind a backslash is part of the value.
  private func closing(_ bytes: Span<UInt8>) -> Int? {
    var index = position + 1
    while index < bytes.count, bytes[index] != bytes[position] {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return index < bytes.count ? index : nil
  }

  /// The value between two marks: every break of a line is LF, and a backslash stands for itself before what it does
  /// not escape.
  private func unquoted(_ bytes: Span<UInt8>, _ place: Range<Int>, _ quote: Unicode.Scalar) -> Secret {
    let isPlain = place.allSatisfy { bytes[$0] != UInt8(ascii: "\\") && bytes[$0] != 0x0D }
    guard !isPlain else { return bytes.secret(place) }
    var value: [UInt8] = []
    // Of its full size from the beginning: a buffer that grows leaves copies behind.
    value.reserveCapacity(place.count)
    var index = place.lowerBound
    while index < place.upperBound {
      let byte = bytes[index]
      index += 1
      if byte == 0x0D {
        value.append(0x0A)
        if index < place.upperBound, bytes[index] == 0x0A { index += 1 }
      } else if byte == UInt8(ascii: "\\"), index < place.upperBound,
        let escaped = EnvFile.escaped(bytes[index], in: quote)
      {
        value.append(escaped)
        index += 1
      } else {
        value.append(byte)
      }
    }
    return Secret(consuming: &value)
  }

  /// `true` at the end of a line, and at a comment.
  private func isEnd(_ bytes: Span<UInt8>, comment: String) -> Bool {
    position == bytes.count || "\r\n".utf8.contains(bytes[position]) || comment.utf8.contains(bytes[position])
  }

  private mutating func skipBlanks(_ bytes: Span<UInt8>) {
    while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
  }

  /// Goes to the beginning of the next line; a CR alone ends a line, too.
  private mutating func skipLine(_ bytes: Span<UInt8>) {
    while position < bytes.count, !"\r\n".utf8.contains(bytes[position]) { position += 1 }
    guard position < bytes.count else { return }
    position += bytes[position] == 0x0D && position + 1 < bytes.count && bytes[position + 1] == 0x0A ? 2 : 1
    line += 1
  }

  private func breaks(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
    range.count { bytes[$0] == 0x0A || bytes[$0] == 0x0D && ($0 + 1 == bytes.count || bytes[$0 + 1] != 0x0A) }
  }
}
