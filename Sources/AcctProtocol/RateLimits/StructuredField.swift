/// Structured fields (RFC 9651, which replaces RFC 8941), as far as rate limits are written so:
/// lists of items, and dictionaries of items, each with parameters.
///
/// Parsing is as strict as section 4.2 asks for: a field with one flaw in it is no field at all.
/// Inner lists and display strings, which no rate limit uses, count as flaws.
enum StructuredField {
  /// A bare item.
  enum Bare: Equatable {
    case integer(Int64)
    /// With at most three digits behind the point.
    case decimal(Double)
    case string(String)
    case token(String)
    case boolean(Bool)
    /// Seconds since 1970.
    case date(Int64)
    /// Bytes, still in base64: a partition key, which says nothing to a client.
    case bytes(String)
  }

  /// A bare item with its parameters; of two of one name the later one counts.
  struct Item: Equatable {
    var bare: Bare
    var parameters: [String: Bare] = [:]
  }

  /// Reads a list of items (section 4.2.1); `nil` for anything else.
  static func list(_ lines: [String]) -> [Item]? {
    var reader = StructuredFieldReader(lines)
    return reader.members { reader in reader.item() }
  }

  /// Reads a dictionary of items (section 4.2.2); `nil` for anything else.
  static func dictionary(_ lines: [String]) -> [String: Item]? {
    var reader = StructuredFieldReader(lines)
    let members = reader.members { reader -> (String, Item)? in
      guard let name = reader.key() else { return nil }
      // A member without a value is true.
      guard reader.take("=") else {
        return reader.parameters().map { (name, Item(bare: .boolean(true), parameters: $0)) }
      }
      return reader.item().map { (name, $0) }
    }
    return members.map { Dictionary($0) { _, later in later } }
  }
}

extension StructuredField.Bare {
  /// The value of an integer.
  var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
}
