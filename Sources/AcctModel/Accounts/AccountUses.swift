/// The last uses of an account on this machine, oldest first: one for each hour, program and origin.
///
/// They are kept apart from its history, whose events they must not push out.
package struct AccountUses: Equatable, Sendable {
  /// The most uses that are kept.
  package static let limit = 200
  /// In bytes.
  package static let sizeLimit = 1 << 15

  /// Events as ``AccountEvent`` writes them, one a line.
  package private(set) var text: String

  /// No uses, or those of a text.
  package init(_ text: String = "") { self.text = text }

  private init(_ events: some Sequence<AccountEvent>) {
    var size = 0
    // The newest count, as far as there is room.
    let lines = events.reversed().prefix(Self.limit).map { $0.text(after: nil) + "\n" }.prefix { line in
      size += line.utf8.count
      return size <= Self.sizeLimit
    }
    text = lines.reversed().joined()
  }

  /// The uses; lines that are none are left out.
  package var events: [AccountEvent] {
    guard text.utf8.count <= Self.sizeLimit else { return [] }
    return text.split(separator: "\n").compactMap { AccountEvent($0, after: nil) }.filter { $0.kind == .used }
  }

  /// Returns the uses with one more; the same ones if they have it within the same hour.
  package func adding(_ use: AccountEvent) -> AccountUses {
    let known = events
    return known.contains { $0.isSameUse(as: use) } ? self : AccountUses(known + [use])
  }

  /// The last of them, so many.
  package func last(_ count: Int) -> AccountUses { AccountUses(events.suffix(count)) }
}

extension AccountEvent {
  /// `true` if both are one use: of one program, at one origin, within an hour.
  fileprivate func isSameUse(as other: AccountEvent) -> Bool {
    time.hour == other.time.hour && program == other.program && origin == other.origin
  }
}
