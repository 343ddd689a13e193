import AcctProtocol

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
}

extension TOMLOutline {
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
