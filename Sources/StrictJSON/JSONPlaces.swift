/// The places of an object's members in a JSON text, for a change that leaves every other byte as it is.
package struct JSONPlaces: Sendable {
  /// A member by its place.
  package struct Member: Sendable {
    package let name: String
    /// The range of the name, with its quotes.
    package let nameRange: Range<Int>
    package let value: Range<Int>
  }

  /// In the order of the text.
  package private(set) var members: [Member] = []
  /// The range from the opening brace to behind the closing one.
  package let object: Range<Int>

  /// Finds the members of an object.
  ///
  /// - Parameters:
  ///   - bytes: A whole JSON text, which is read as strictly as ``JSON`` reads it.
  ///   - start: The position of the object in the text, or of white space before it.
  /// - Throws: ``JSONError``; any other value is unexpected where it begins.
  package init(parsing bytes: Span<UInt8>, at start: Int = 0) throws(JSONError) {
    try JSON.check(bytes, maximumBytes: 1 << 20)
    // The whole text first, with its limit of depth and its members that are given twice.
    var reader = JSONReader()
    _ = try reader.text(in: bytes)
    reader = JSONReader(position: start)
    guard try reader.next(in: bytes) == .openBrace else { throw .unexpected(offset: reader.position) }
    let open = reader.position
    reader.position += 1
    if try reader.next(in: bytes) == .closeBrace {
      reader.position += 1
    } else {
      repeat {
        _ = try reader.next(in: bytes)
        let first = reader.position
        let name = try reader.string(in: bytes)
        let end = reader.position
        try reader.stepOverColon(in: bytes)
        _ = try reader.next(in: bytes)
        let value = reader.position
        _ = try reader.value(in: bytes, depth: 1)
        members.append(Member(name: name, nameRange: first..<end, value: value..<reader.position))
      } while try !reader.isLast(before: .closeBrace, in: bytes)
    }
    object = open..<reader.position
  }

  /// The member of this name.
  package subscript(name: String) -> Member? { members.first { $0.name == name } }
}
