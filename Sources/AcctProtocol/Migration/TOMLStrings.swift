import Secrets

/// The strings of a TOML file, with the keys that lead to them: all that cargo's files need.
///
/// Other values, inline tables and strings of several lines are passed over.
struct TOMLStrings {
  private(set) var values: [(keys: [String], value: Secret)] = []

  init(_ bytes: Span<UInt8>) throws(MigrationFlaw) {
    var section: [String] = []
    for (index, line) in bytes.lineRanges.enumerated() {
      let line = bytes.trimmed(line)
      guard let first = line.first.map({ bytes[$0] }), first != UInt8(ascii: "#") else { continue }
      if first == UInt8(ascii: "[") {
        var reader = TOMLReader(position: line.lowerBound + 1, end: line.upperBound)
        guard let keys = reader.keys(bytes), reader.take("]", bytes) else {
          // A list of tables, which has no credentials.
          guard line.count > 1, bytes[line.lowerBound + 1] == UInt8(ascii: "[") else { throw .line(index + 1) }
          section = ["[["]
          continue
        }
        section = keys
        continue
      }
      var reader = TOMLReader(position: line.lowerBound, end: line.upperBound)
      guard let keys = reader.keys(bytes), reader.take("=", bytes) else { continue }
      guard let value = try reader.string(bytes, line: index + 1) else { continue }
      values.append((section + keys, value))
    }
  }
}

private struct TOMLReader {
  var position: Int
  let end: Int

  /// Keys with dots between them; `nil` where there are none.
  mutating func keys(_ bytes: Span<UInt8>) -> [String]? {
    var keys: [String] = []
    repeat {
      skipSpace(bytes)
      guard position < end else { return nil }
      let start = position
      if let quote = quote(bytes) {
        position += 1
        while position < end, bytes[position] != quote { position += 1 }
        guard position < end, let key = bytes.text(start + 1..<position) else { return nil }
        position += 1
        keys.append(key)
      } else {
        while position < end, isBare(bytes[position]) { position += 1 }
        guard position > start, let key = bytes.text(start..<position) else { return nil }
        keys.append(key)
      }
    } while take(".", bytes)
    return keys
  }

  mutating func take(_ character: Unicode.Scalar, _ bytes: Span<UInt8>) -> Bool {
    skipSpace(bytes)
    guard position < end, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// A string on this line; `nil` for another value.
  mutating func string(_ bytes: Span<UInt8>, line: Int) throws(MigrationFlaw) -> Secret? {
    skipSpace(bytes)
    guard position < end, let quote = quote(bytes) else { return nil }
    let hasEscapes = quote == UInt8(ascii: "\"")
    if position + 2 < end, bytes[position + 1] == quote, bytes[position + 2] == quote { return nil }
    position += 1
    var value: [UInt8] = []
    value.reserveCapacity(end - position)
    while position < end {
      var byte = bytes[position]
      position += 1
      if byte == quote { return Secret(consuming: &value) }
      if byte == UInt8(ascii: "\\"), hasEscapes, position < end {
        byte = bytes[position]
        position += 1
        // No token has a character that is written otherwise.
        guard byte == quote || byte == UInt8(ascii: "\\") else { break }
      }
      value.append(byte)
    }
    wipe(&value)
    throw .line(line)
  }

  private func quote(_ bytes: Span<UInt8>) -> UInt8? {
    let byte = bytes[position]
    return byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") ? byte : nil
  }

  private mutating func skipSpace(_ bytes: Span<UInt8>) {
    while position < end, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
  }

  private func isBare(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
  }
}
