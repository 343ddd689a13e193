import Text

/// An event in the life of an account: what, when, on which machine, and for which program or origin.
///
/// It has no secret, and of a URL the origin alone.
package struct AccountEvent: Hashable, Sendable {
  /// In the order of events of one second.
  package enum Kind: String, CaseIterable, Sendable {
    case added, signedIn, renewed
    /// The server rejected a renewal.
    case renewalRefused
    /// acct did not send the credential to an origin that is not the account's.
    case refused
    case allowed, exported, moved, removed
    /// A program got the credential; not in a history, but in ``AccountUses``.
    case used
    /// One that only a later version of acct knows.
    case other

    /// Its letter in a history; `nil` if only the event knows it.
    fileprivate var letter: Character? {
      switch self {
      case .added: "a"
      case .signedIn: "s"
      case .renewed: "r"
      case .renewalRefused: "f"
      case .refused: "x"
      case .allowed: "w"
      case .exported: "e"
      case .moved: "m"
      case .removed: "d"
      case .used: "u"
      case .other: nil
      }
    }
  }

  package fileprivate(set) var time: Timestamp
  package let kind: Kind
  /// The letter of its kind.
  private var letter: Character
  /// The name of the machine; `nil` if it is not known.
  package let machine: String?
  /// The program that acct answered, and of a use the program that got the credential; `nil` for a command of a person or a
  /// script.
  package let program: String?
  package let origin: Origin?

  /// - Parameters:
  ///   - kind: The event.
  ///   - time: Its time.
  ///   - machine: The machine's name; characters that no host name has are left out, and what exceeds 64.
  ///   - program: The name of a helper's protocol, or `proxy`.
  ///   - origin: The origin that was refused or allowed.
  package init(_ kind: Kind, at time: Timestamp, on machine: String?, for program: String?, _ origin: Origin? = nil) {
    self.kind = kind
    letter = kind.letter ?? "?"
    self.time = time
    self.machine = Self.word(machine)
    self.program = Self.word(program)
    self.origin = origin
  }

  /// Reads one event of a history, less strictly than the history is read as a whole.
  ///
  /// - Parameters:
  ///   - text: Its words.
  ///   - last: The machine of the event before it.
  init?(_ text: Substring, after last: String?) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard (2...5).contains(words.count), let seconds = Int64(words[0]),
      let time = Timestamp(secondsSince1970: seconds), words[1].utf8.count == 1, let letter = words[1].first,
      letter.isASCII, letter.isLetter
    else { return nil }
    let kind = Kind.allCases.first { $0.letter == letter } ?? .other
    func word(_ index: Int) -> String? { words.count > index && words[index] != "-" ? String(words[index]) : nil }
    let isSame = words.count < 3 || words[2] == "="
    self.init(kind, at: time, on: isSame ? last : word(2), for: word(3), word(4).flatMap { try? Origin($0) })
    self.letter = letter
  }

  /// The form in a history: time, letter, machine, program, origin; `=` for the machine of the event before it, `-` for what
  /// it has not, both left out at the end.
  func text(after last: String?) -> String {
    var words = [machine == last ? "=" : machine ?? "-", program ?? "-", origin?.description ?? "-"]
    while words.count > 1, words.last == "-" { words.removeLast() }
    if words == ["="] { words = [] }
    return (["\(time.secondsSince1970) \(letter)"] + words).joined(separator: " ")
  }

  /// The word of a machine or a program: characters that no host name has are left out, and what exceeds 64.
  package static func word(_ text: String?) -> String? {
    let kept = (text ?? "").utf8.filter { $0.isASCIIAlphanumeric || "-._".utf8.contains($0) }
    let word = String(decoding: kept.prefix(64), as: UTF8.self)
    return word.isEmpty || word == "-" ? nil : word
  }
}

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
    // The order of events that only a later version knows is that version's.
    return events.contains { $0.kind == .other } || AccountHistory(events).text == text ? events : nil
  }

  /// Returns the history with one more event: the second one in a second gets the next second, since equal events are
  /// one.
  package func appending(_ event: AccountEvent) -> AccountHistory {
    let known = Set(events ?? [])
    var event = event
    while known.contains(event) { event.time = event.time.adding(seconds: 1) }
    return adding([event])
  }

  /// Returns the history with more events.
  package func adding(_ more: [AccountEvent]) -> AccountHistory { AccountHistory((events ?? []) + more) }

  /// Returns the events of both, of which each may be another machine's.
  package func merged(with other: AccountHistory) -> AccountHistory { adding(other.events ?? []) }
}
