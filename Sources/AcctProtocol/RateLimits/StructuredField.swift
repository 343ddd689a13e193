import RawStructuredFieldValues

/// Structured fields (RFC 9651, which replaces RFC 8941), as far as rate limits are written so:
/// lists of items, and dictionaries of items, each with parameters.
///
/// A field with one flaw in it is no field at all (section 4.2). An inner list, which no rate limit
/// is, counts as a flaw.
enum StructuredField {
  /// Parses a list of items (section 4.2.1); `nil` for anything else.
  static func list(_ lines: [String]) -> [Item]? {
    guard let bytes = bytes(lines) else { return nil }
    var parser = StructuredFieldValueParser(bytes)
    return (try? parser.parseListFieldValue()).flatMap { items($0) }
  }

  /// Parses a dictionary of items (section 4.2.2); `nil` for anything else.
  static func dictionary(_ lines: [String]) -> [String: Item]? {
    guard let bytes = bytes(lines) else { return nil }
    var parser = StructuredFieldValueParser(bytes)
    guard let members = try? parser.parseDictionaryFieldValue(), let items = items(members.map(\.1)) else { return nil }
    return Dictionary(zip(members.map(\.0), items)) { _, later in later }
  }

  /// Several lines of one field are one list (section 4.2).
  ///
  /// The parser's time for the names in a field grows with the square of their number, so a field of
  /// more than 16 KiB counts as a flaw.
  private static func bytes(_ lines: [String]) -> [UInt8]? {
    let bytes = Array(lines.joined(separator: ", ").utf8)
    return bytes.count <= 1 << 14 ? bytes : nil
  }

  private static func items(_ members: [ItemOrInnerList]) -> [Item]? {
    var items: [Item] = []
    for member in members {
      guard case .item(let item) = member else { return nil }
      items.append(item)
    }
    return items
  }
}

extension RFC9651BareItem {
  /// The value of an integer.
  var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
}
