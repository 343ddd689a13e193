/// The order of items that exist more than once, in several collections, since their default changed.
///
/// acct writes to the default collection alone. Copies elsewhere stay, and may be locked for good. An item without the
/// attribute is the first.
struct Precedence: Comparable {
  private static let attribute = "sequence"
  private static let removal = "removed-"

  /// Its place among the copies: a higher one is newer.
  var sequence: UInt64 = 0
  /// `true` if it says only that the item was removed, since a copy could not be.
  var isRemoval = false

  /// Reads it from an item's attributes, which a locked collection may hide.
  init(of attributes: Attributes) {
    // An item without copies has acct's three attributes.
    guard attributes.count > 3, let value = attributes.value(of: Self.attribute) else { return }
    isRemoval = value.hasPrefix(Self.removal)
    sequence = UInt64(isRemoval ? value.dropFirst(Self.removal.utf8.count) : value[...]) ?? 0
  }

  /// The first, or the one after others.
  init(after others: [Precedence] = [], isRemoval: Bool = false) {
    sequence = others.map(\.sequence).max().map { $0 &+ 1 } ?? 0
    self.isRemoval = isRemoval
  }

  var attributes: Attributes {
    sequence == 0 ? [] : [(Self.attribute, (isRemoval ? Self.removal : "") + String(sequence))]
  }

  static func < (left: Precedence, right: Precedence) -> Bool { left.sequence < right.sequence }
}
