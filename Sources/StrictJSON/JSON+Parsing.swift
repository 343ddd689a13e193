extension JSON {
  /// How many arrays and objects may lie within each other.
  package static let maximumDepth = 64

  /// Reads one JSON text, strictly: RFC 8259 and nothing more, in UTF-8 without a byte order
  /// mark, no member twice, no lone surrogate (RFC 7493).
  ///
  /// The time taken grows with the number of bytes alone, and the stack used is bounded.
  ///
  /// - Parameters:
  ///   - bytes: The text, from its first byte to its last.
  ///   - maximumBytes: The most bytes that are read at all.
  /// - Throws: ``JSONError``.
  package init(parsing bytes: Span<UInt8>, maximumBytes: Int = 1 << 20) throws(JSONError) {
    try Self.check(bytes, maximumBytes: maximumBytes)
    var reader = JSONReader()
    self = try reader.text(in: bytes)
  }

  /// Reads one JSON text; see ``init(parsing:maximumBytes:)-(Span<UInt8>,_)``.
  package init(parsing bytes: [UInt8], maximumBytes: Int = 1 << 20) throws(JSONError) {
    try self.init(parsing: bytes.span, maximumBytes: maximumBytes)
  }

  /// Checks what can be seen of a text before it is read.
  static func check(_ bytes: Span<UInt8>, maximumBytes: Int) throws(JSONError) {
    guard bytes.count <= maximumBytes else { throw .tooLarge }
    // Once for the whole text: every piece cut at an ASCII character is then valid, too.
    do { _ = try UTF8Span(validating: bytes) } catch { throw .notUTF8 }
  }
}
