import AcctProtocol
import Secrets
import Text

/// The places of the keys and values in a TOML file (TOML 1.0), for a change that leaves every other byte as it is.
struct TOMLOutline {
  /// One `key = value`.
  struct Entry {
    /// The keys that lead to it, those of its table first.
    var keys: [String]
    /// The range of the key as it is written.
    var key: Range<Int>
    /// The start of the key's last part.
    var lastPart: Int
    var value: Range<Int>
    /// From the start of its line to that of the next one; in an inline table, only the entry.
    var line: Range<Int>
    var isInline: Bool
  }

  /// A `[table]`.
  struct Table {
    var keys: [String]
    /// From the start of the header's line to that of the next one.
    var line: Range<Int>
  }

  private(set) var entries: [Entry] = []
  private(set) var tables: [Table] = []
  /// The keys of entries and tables, each of which may be given once.
  private var known: Set<[String]> = []

  /// - Throws: ``SettingsFlaw/line(_:_:)``.
  init(_ bytes: Span<UInt8>) throws(SettingsFlaw) {
    if let line = bytes.lineOutsideUTF8 { throw .line(line, .encoding) }
    var scanner = TOMLScanner()
    do throws(SettingsFlaw) {
      try read(&scanner, bytes)
    } catch .line(_, let reason) {
      throw .line(bytes.line(of: scanner.position), reason)
    }
  }

  private mutating func read(_ scanner: inout TOMLScanner, _ bytes: Span<UInt8>) throws(SettingsFlaw) {
    var table: [String] = []
    var lists: [[String]] = []
    while true {
      scanner.skipLines(bytes)
      guard scanner.position < bytes.count else { return }
      let start = scanner.lineStart(bytes)
      if scanner.take("[", bytes) {
        let isList = scanner.take("[", bytes)
        scanner.skipSpace(bytes)
        let keys = try scanner.keys(bytes).keys
        try scanner.require("]", bytes)
        if isList { try scanner.require("]", bytes) }
        if isList { lists.append(keys) }
        // An element of a list has no name by which anything could be set.
        let isUnnamed = lists.contains { keys.starts(with: $0) }
        table = isUnnamed ? ["[["] : keys
        guard isUnnamed || known.insert(keys + ["[]"]).inserted else { throw scanner.flaw(.repeated) }
        try scanner.endLine(bytes)
        guard !isUnnamed else { continue }
        tables.append(Table(keys: keys, line: start..<scanner.position))
        continue
      }
      let first = entries.count
      try entry(in: table, isInline: false, depth: 0, &scanner, bytes)
      try scanner.endLine(bytes)
      entries[first].line = start..<scanner.position
    }
  }

  /// Reads an entry; those of inline tables follow it in ``entries``.
  private mutating func entry(
    in table: [String],
    isInline: Bool,
    depth: Int,
    _ scanner: inout TOMLScanner,
    _ bytes: Span<UInt8>
  ) throws(SettingsFlaw) {
    let start = scanner.position
    let (keys, lastPart) = try scanner.keys(bytes)
    let key = start..<scanner.keyEnd
    let path = table + keys
    guard table.first == "[[" || known.insert(path).inserted else { throw scanner.flaw(.repeated) }
    try scanner.require("=", bytes)
    scanner.skipSpace(bytes)
    let index = entries.count
    entries.append(Entry(keys: path, key: key, lastPart: lastPart, value: 0..<0, line: 0..<0, isInline: isInline))
    let value = scanner.position
    if scanner.take("{", bytes) {
      guard depth < 32 else { throw scanner.flaw(.value) }
      scanner.skipSpace(bytes)
      if !scanner.take("}", bytes) {
        repeat {
          scanner.skipSpace(bytes)
          try entry(in: path, isInline: true, depth: depth + 1, &scanner, bytes)
          scanner.skipSpace(bytes)
        } while scanner.take(",", bytes)
        try scanner.require("}", bytes)
      }
    } else {
      try scanner.value(bytes, depth: depth)
    }
    entries[index].value = value..<scanner.position
    entries[index].line = start..<scanner.position
  }

  /// The entry of these keys.
  subscript(keys: String...) -> Entry? { entries.first { $0.keys == keys } }

  /// The elements of an array of strings, with their values; `nil` for any other value.
  static func strings(_ range: Range<Int>, _ bytes: Span<UInt8>) -> [(place: Range<Int>, value: String)]? {
    var scanner = TOMLScanner(position: range.lowerBound)
    guard scanner.take("[", bytes) else { return nil }
    var elements: [(Range<Int>, String)] = []
    while true {
      scanner.skipLines(bytes)
      if scanner.take("]", bytes) { return elements }
      let start = scanner.position
      guard let text = try? scanner.string(bytes) else { return nil }
      elements.append((start..<scanner.position, text))
      scanner.skipLines(bytes)
      _ = scanner.take(",", bytes)
    }
  }

  /// A string; `nil` for any other value.
  static func string(_ range: Range<Int>, _ bytes: Span<UInt8>) -> String? {
    var scanner = TOMLScanner(position: range.lowerBound)
    return try? scanner.string(bytes)
  }
}

/// A position in a TOML file, and the grammar from there on.
///
/// The bytes are an argument of each step, since a span cannot be stored.
struct TOMLScanner {
  var position = 0
  /// The end of the key that was read last, without the space behind it.
  private(set) var keyEnd = 0

  /// The flaw of a malformed byte; ``TOMLOutline`` names its line.
  func flaw(_ reason: LineFlaw) -> SettingsFlaw { .line(0, reason) }

  mutating func take(_ character: Unicode.Scalar, _ bytes: Span<UInt8>) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func require(_ character: Unicode.Scalar, _ bytes: Span<UInt8>) throws(SettingsFlaw) {
    skipSpace(bytes)
    guard take(character, bytes) else { throw flaw(.missing(character)) }
  }

  mutating func skipSpace(_ bytes: Span<UInt8>) {
    while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
  }

  /// Steps over white space, empty lines and comments.
  mutating func skipLines(_ bytes: Span<UInt8>) {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      case UInt8(ascii: "#"): while position < bytes.count, bytes[position] != 0x0A { position += 1 }
      default: return
      }
    }
  }

  /// Steps over the rest of a line, which may have a comment, and its end.
  mutating func endLine(_ bytes: Span<UInt8>) throws(SettingsFlaw) {
    skipSpace(bytes)
    if position < bytes.count, bytes[position] == UInt8(ascii: "#") {
      while position < bytes.count, bytes[position] != 0x0A { position += 1 }
    }
    _ = take("\r", bytes)
    guard position == bytes.count || take("\n", bytes) else { throw flaw(.rest) }
  }

  func lineStart(_ bytes: Span<UInt8>) -> Int {
    var start = position
    while start > 0, bytes[start - 1] != 0x0A { start -= 1 }
    return start
  }

  /// Keys with dots between them, and the start of the last one.
  mutating func keys(_ bytes: Span<UInt8>) throws(SettingsFlaw) -> (keys: [String], last: Int) {
    var keys: [String] = []
    while true {
      skipSpace(bytes)
      let start = position
      guard position < bytes.count else { throw flaw(.key) }
      if let quote = quote(bytes), !isTriple(quote, bytes) {
        keys.append(try string(bytes))
      } else {
        while position < bytes.count, isBare(bytes[position]) { position += 1 }
        guard position > start, let key = bytes.text(start..<position) else { throw flaw(.key) }
        keys.append(key)
      }
      keyEnd = position
      skipSpace(bytes)
      guard take(".", bytes) else { return (keys, start) }
    }
  }

  /// Steps over a value that is no inline table, or over one in an array.
  mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(SettingsFlaw) {
    guard position < bytes.count, depth < 32 else { throw flaw(.value) }
    if quote(bytes) != nil {
      _ = try secret(bytes)
    } else if take("[", bytes) {
      skipLines(bytes)
      while !take("]", bytes) {
        try value(bytes, depth: depth + 1)
        skipLines(bytes)
        guard take(",", bytes) || position < bytes.count && bytes[position] == UInt8(ascii: "]") else {
          throw flaw(.missing("]"))
        }
        skipLines(bytes)
      }
    } else if take("{", bytes) {
      skipSpace(bytes)
      guard !take("}", bytes) else { return }
      repeat {
        _ = try keys(bytes)
        try require("=", bytes)
        skipSpace(bytes)
        try value(bytes, depth: depth + 1)
        skipSpace(bytes)
      } while take(",", bytes)
      try require("}", bytes)
    } else {
      // A number, a date or a truth value.
      let start = position
      while position < bytes.count, isBare(bytes[position]) || "+.:".utf8.contains(bytes[position]) { position += 1 }
      guard position > start else { throw flaw(.value) }
    }
  }

  /// Reads a string of any of the four kinds.
  mutating func string(_ bytes: Span<UInt8>) throws(SettingsFlaw) -> String {
    let text = try secret(bytes)
    return text.withBytes { String(decoding: $0.bytes(0..<$0.count), as: UTF8.self) }
  }

  /// Reads a string that may be a secret.
  mutating func secret(_ bytes: Span<UInt8>) throws(SettingsFlaw) -> Secret {
    guard let quote = quote(bytes) else { throw flaw(.value) }
    let isTriple = isTriple(quote, bytes)
    position += isTriple ? 3 : 1
    var text: [UInt8] = []
    // Of its full size from the beginning: a buffer that grows leaves copies behind.
    text.reserveCapacity((isTriple ? bytes.count : endOfLine(bytes)) - position)
    if isTriple, !take("\n", bytes), take("\r", bytes), !take("\n", bytes) { position -= 1 }
    var reason = LineFlaw.quote
    while position < bytes.count {
      let byte = bytes[position]
      if byte == quote, !isTriple || self.isTriple(quote, bytes) {
        position += isTriple ? 3 : 1
        // Up to two quotes may stand before the three that end it.
        while isTriple, position < bytes.count, bytes[position] == quote {
          position += 1
          text.append(quote)
        }
        return Secret(consuming: &text)
      }
      guard isTriple || byte != 0x0A else { break }
      position += 1
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        guard escape(into: &text, bytes) else {
          reason = .escape
          break
        }
      } else {
        text.append(byte)
      }
    }
    wipe(&text)
    throw flaw(reason)
  }

  /// Reads the rest of an escape; returns `false` for none of TOML's.
  private mutating func escape(into text: inout [UInt8], _ bytes: Span<UInt8>) -> Bool {
    guard position < bytes.count else { return false }
    let byte = bytes[position]
    position += 1
    switch Unicode.Scalar(byte) {
    case "\"", "\\": text.append(byte)
    case "b": text.append(0x08)
    case "t": text.append(0x09)
    case "n": text.append(0x0A)
    case "f": text.append(0x0C)
    case "r": text.append(0x0D)
    case "u", "U":
      let end = position + (byte == UInt8(ascii: "u") ? 4 : 8)
      guard end <= bytes.count, let digits = bytes.text(position..<end), digits.allSatisfy(\.isHexDigit),
        let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
      else { return false }
      text += String(scalar).utf8
      position = end
    case " ", "\t", "\r", "\n":
      // The end of a line is no part of the text, nor is the space at the start of the next one.
      position -= 1
      let start = position
      while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
      return (start..<position).contains { bytes[$0] == 0x0A }
    default: return false
    }
    return true
  }

  private func endOfLine(_ bytes: Span<UInt8>) -> Int {
    (position..<bytes.count).first { bytes[$0] == 0x0A } ?? bytes.count
  }

  private func quote(_ bytes: Span<UInt8>) -> UInt8? {
    guard position < bytes.count else { return nil }
    let byte = bytes[position]
    return byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") ? byte : nil
  }

  private func isTriple(_ quote: UInt8, _ bytes: Span<UInt8>) -> Bool {
    position + 2 < bytes.count && (0...2).allSatisfy { bytes[position + $0] == quote }
  }

  private func isBare(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}
