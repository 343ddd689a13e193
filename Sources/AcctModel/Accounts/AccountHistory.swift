/// The last events of an account, oldest first, as its record has them.
///
/// The text stays unread in all commands that neither show nor change it. One that does not parse is dropped as a whole:
/// the account is of use without it.
package struct AccountHistory: Equatable, Sendable {
  /// The most events that are kept.
  package static let limit = 50
  /// In bytes; 50 events with the longest names and origins of a usual length are shorter.
  package static let sizeLimit = 1 << 14

  /// Events as ``AccountEvent`` writes them, `;` between two.
  ///
  /// It is short: every listing of accounts passes over it.
  package private(set) var text: String

  /// A history without events, or with those of a text.
  package init(_ text: String = "") { self.text = text }

  /// Puts events into the order of their times, without those that are there twice, and keeps the last.
  package init(_ events: some Sequence<AccountEvent>) {
    let kinds = AccountEvent.Kind.allCases
    let keyed = Set(events).map { event in
      let kind = kinds.firstIndex(of: event.kind) ?? 0
      return (event: event, key: (event.time, kind, event.text(after: nil)))
    }
    var last: String?
    var texts: [String] = []
    var kept = keyed.sorted { $0.key < $1.key }.suffix(Self.limit)
    repeat {
      (last, texts) = (nil, [])
      for (event, _) in kept {
        texts.append(event.text(after: last))
        last = event.machine
      }
    } while texts.reduce(0, { $0 + $1.utf8.count + 1 }) > Self.sizeLimit && kept.popFirst() != nil
    text = texts.joined(separator: ";")
  }

  /// The events, oldest first; `nil` if the text is not as a history writes it.
  package var events: [AccountEvent]? {
    guard !text.isEmpty else { return [] }
    guard text.utf8.count <= Self.sizeLimit else { return nil }
    var events: [AccountEvent] = []
    for part in text.split(separator: ";", omittingEmptySubsequences: false) {
      guard events.count < Self.limit, let event = AccountEvent(part, after: events.last?.machine) else { return nil }
      events.append(event)
    }
    return AccountHistory(events).text == text ? events : nil
  }

  /// Returns the history with more events.
  package func adding(_ more: [AccountEvent]) -> AccountHistory { AccountHistory((events ?? []) + more) }

  /// Returns the events of both, of which each may be another machine's.
  package func merged(with other: AccountHistory) -> AccountHistory { adding(other.events ?? []) }
}
