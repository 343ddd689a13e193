/// The members of one JSON object, read as strictly as ``JSON`` reads it, of which a value is made
/// only when it is asked for.
///
/// It is for objects that are read by the thousand and asked once: a tree would be taken down right
/// after it was built, with a string for every name in it.
package struct JSONMembers: Sendable {
  private let text: [UInt8]
  private var plain: [Member] = []
  /// One bit for each mark that a plain member has: without it there is no such name.
  private var marks: UInt64 = 0
  /// Members whose names have escapes, and those beyond the first 64, which would be slow to search.
  private var others = JSONObject()

  /// A member by where it stands in the text.
  private struct Member: Sendable {
    let name: Range<Int>
    let mark: NameMark
    let value: Value
  }

  private enum Value: Sendable {
    /// A string without escapes, between its quotes.
    case text(Range<Int>)
    case other(JSON)
  }

  /// Reads one JSON text that is an object, as strictly as a tree.
  ///
  /// - Parameters:
  ///   - text: The text, from its first byte to its last.
  ///   - maximumBytes: The most bytes that are read at all.
  /// - Throws: ``JSONError``; any other value is unexpected where it begins.
  package init(parsing text: [UInt8], maximumBytes: Int = 1 << 20) throws(JSONError) {
    self.text = text
    let bytes = text.span
    try JSON.check(bytes, maximumBytes: maximumBytes)
    plain.reserveCapacity(32)
    var reader = JSONReader()
    guard try reader.next(in: bytes) == .openBrace else { throw .unexpected(offset: reader.position) }
    reader.position += 1
    if try reader.next(in: bytes) == .closeBrace {
      reader.position += 1
    } else {
      repeat { try add(&reader, bytes) } while try !reader.isLast(before: .closeBrace, in: bytes)
    }
    try reader.end(in: bytes)
  }

  private mutating func add(_ reader: inout JSONReader, _ bytes: Span<UInt8>) throws(JSONError) {
    guard plain.count < JSONObject.searchLimit, let name = try reader.plainString(in: bytes) else {
      let name = try reader.name(in: bytes)
      let value = try reader.value(in: bytes, depth: 1)
      guard position(of: name.utf8Span.span, NameMark(name), in: bytes) == nil, others.append(name, value)
      else { throw .duplicateMember(name) }
      return
    }
    try reader.stepOverColon(in: bytes)
    let value: Value =
      if let text = try reader.plainString(in: bytes) { .text(text) } else {
        .other(try reader.value(in: bytes, depth: 1))
      }
    let mark = NameMark(bytes.extracting(name))
    guard position(of: bytes.extracting(name), mark, in: bytes) == nil,
      others.count == 0 || others[string(at: name)] == nil
    else { throw .duplicateMember(string(at: name)) }
    marks |= mark.bit
    plain.append(Member(name: name, mark: mark, value: value))
  }

  /// The value of a member that is sought first where `guess` says; that is then the place after
  /// it, so that a caller that asks in the order of the text finds everything at once.
  package func value(of name: String, near guess: inout Int) -> JSON? {
    let sought = name.utf8Span.span
    let bytes = text.span
    if guess >= plain.count || !bytes.extracting(plain[guess].name).hasSameBytes(as: sought) {
      guard let position = position(of: sought, NameMark(sought), in: bytes) else { return others[name] }
      guess = position
    }
    defer { guess += 1 }
    switch plain[guess].value {
    case .text(let range): return .string(string(at: range))
    case .other(let value): return value
    }
  }

  private func position(of name: Span<UInt8>, _ mark: NameMark, in bytes: Span<UInt8>) -> Int? {
    guard marks & mark.bit != 0 else { return nil }
    for index in plain.indices where plain[index].mark == mark {
      if bytes.extracting(plain[index].name).hasSameBytes(as: name) { return index }
    }
    return nil
  }

  /// A piece that is cut at ASCII characters, of a text that was found to be UTF-8.
  private func string(at range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }
}
