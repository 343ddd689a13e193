/// The last events of an account, oldest first, as its record has them.
///
/// The text stays unread in all commands that neither show nor change it. One that does not parse is dropped as a whole:
/// the account is of use without it.
package struct AccountHistory: Equatable, Sendable {
  /// The most events that are kept.
  package static let limit = 50
  /// In bytes; 50 events with the longest names and origins of a usual length are shorter.
  package static let sizeLimit = 1 << 14

  /// Events in the form of ``AccountEvent``, `;` between two.
  package private(set) var text: String

  /// A history without events, or with those of a text.
  package init(_ text: String = "") { self.text = text }

  /// Puts events into the order of their times, without those that are there twice, and keeps the last.
  package init(_ events: some Sequence<AccountEvent>) {
    let kinds = AccountEvent.Kind.allCases
    let keyed = Set(events).map { ($0.time, kinds.firstIndex(of: $0.kind) ?? 0, $0.text) }.sorted(by: <)
    var texts = keyed.suffix(Self.limit).map(\.2)
    while texts.reduce(0, { $0 + $1.utf8.count + 1 }) > Self.sizeLimit { texts.removeFirst() }
    text = texts.joined(separator: ";")
  }

  /// The events, oldest first; `nil` if the text is damaged.
  package var events: [AccountEvent]? {
    guard !text.isEmpty else { return [] }
    guard text.utf8.count <= Self.sizeLimit else { return nil }
    var events: [AccountEvent] = []
    for part in text.split(separator: ";", omittingEmptySubsequences: false) {
      guard let event = AccountEvent(part), events.count < Self.limit else { return nil }
      events.append(event)
    }
    return events
  }

  /// Returns the history with more events.
  package func adding(_ more: [AccountEvent]) -> AccountHistory { AccountHistory((events ?? []) + more) }

  /// Returns the events of both, of which each may be another machine's.
  package func merged(with other: AccountHistory) -> AccountHistory { adding(other.events ?? []) }
}
