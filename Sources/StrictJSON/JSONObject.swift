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
