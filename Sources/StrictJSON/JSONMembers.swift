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

/// The members of a JSON object, in the order in which they were written, no name twice.
///
/// Names are compared byte by byte (RFC 8259, section 8.3), not by Swift's canonical
/// equivalence: to a server, two spellings of `é` are two names.
package struct JSONObject: Sendable {
  private var members: [Member] = []
  /// One bit for each mark that a member has, or had: without it there is no such name.
  private var marks: UInt64 = 0
  /// The position of each name; kept only for objects in which a search would be slow.
  private var positions: [ExactName: Int] = [:]

  /// Up to so many members are searched one by one, which is faster than hashing.
  static let searchLimit = 64

  /// Creates an object without members.
  package init() {}

  private struct Member: Sendable {
    let name: String
    let mark: NameMark
    var value: JSON
  }

  /// Creates an object; a name given twice is the programmer's error, as in a dictionary literal.
  package init(_ members: KeyValuePairs<String, JSON>) { self.init(unique: members.map { ($0.key, $0.value) }) }

  init(unique members: [(String, JSON)]) {
    reserveCapacity(members.count)
    for (name, value) in members {
      let isNew = append(name, value)
      precondition(isNew, "a JSON literal gives a member twice")
    }
  }

  /// The names, in order.
  package var names: [String] { members.map(\.name) }

  /// The number of members.
  package var count: Int { members.count }

  /// The value of a member, or `nil` if there is no such member; setting `nil` removes it.
  ///
  /// A new member goes to the end.
  package subscript(name: String) -> JSON? {
    get { position(of: name).map { members[$0].value } }
    set {
      switch (position(of: name), newValue) {
      case (let position?, let value?): members[position].value = value
      case (let position?, nil):
        members.remove(at: position)
        reindex()
      case (nil, let value?): _ = append(name, value)
      case (nil, nil): break
      }
    }
  }

  /// Makes room for so many members.
  mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

  /// Adds a member at the end, unless there is one of that name.
  ///
  /// - Returns: `true` if it was added.
  mutating func append(_ name: String, _ value: JSON) -> Bool {
    let mark = NameMark(name)
    guard position(of: name, mark) == nil else { return false }
    marks |= mark.bit
    members.append(Member(name: name, mark: mark, value: value))
    if members.count == Self.searchLimit + 1 {
      reindex()
    } else if members.count > Self.searchLimit {
      positions[ExactName(name)] = members.count - 1
    }
    return true
  }

  private func position(of name: String) -> Int? { position(of: name, NameMark(name)) }

  private func position(of name: String, _ mark: NameMark) -> Int? {
    guard members.count <= Self.searchLimit else { return positions[ExactName(name)] }
    guard marks & mark.bit != 0 else { return nil }
    for index in members.indices where members[index].mark == mark {
      if members[index].name.utf8Span.span.hasSameBytes(as: name.utf8Span.span) { return index }
    }
    return nil
  }

  private mutating func reindex() {
    positions = [:]
    guard members.count > Self.searchLimit else { return }
    for (position, member) in members.enumerated() { positions[ExactName(member.name)] = position }
  }
}

extension JSONObject: Sequence {
  package func makeIterator() -> some IteratorProtocol<(name: String, value: JSON)> {
    members.lazy.map { (name: $0.name, value: $0.value) }.makeIterator()
  }
}

extension JSONObject: Equatable {
  /// `true` if both have the same members, in any order.
  package static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.count == right.count && left.members.allSatisfy { right[$0.name] == $0.value }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Creates an object; a name given twice is the programmer's error, as in a dictionary literal.
  package init(dictionaryLiteral members: (String, JSON)...) { self.init(unique: members) }
}

/// A name that equals another only if their bytes do.
private struct ExactName: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: ExactName, right: ExactName) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}

/// A number that differs for most names that differ, and is made of four of their bytes.
struct NameMark: Equatable, Sendable {
  private let number: UInt32

  init(_ name: Span<UInt8>) {
    guard !name.isEmpty else {
      number = 0
      return
    }
    // In the middle and at the end, since names of one object often begin alike, as `createdAt`
    // and `clientId` do.
    number =
      UInt32(truncatingIfNeeded: name.count) | UInt32(name[0]) << 8
      | UInt32(name[name.count / 2]) << 16 | UInt32(name[name.count - 1]) << 24
  }

  init(_ name: String) { self.init(name.utf8Span.span) }

  /// One bit of 64, for a set that tells most names that are not in it.
  var bit: UInt64 { 1 << UInt64((number &* 0x9E37_79B1) >> 26) }
}

extension Span<UInt8> {
  /// Compares byte by byte.
  func hasSameBytes(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }
}
