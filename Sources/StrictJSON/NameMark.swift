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
