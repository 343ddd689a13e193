import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts

/// A choice among accounts by arrow keys, number or a part of the name.
///
/// It knows the typed text, the mark and the layout, and nothing of terminals.
struct Picker {
  indirect enum Outcome: Equatable { case open, picked(Account), cancelled }

  private let listing: AccountOverview.Listing
  private var typed = ""
  /// `true` if letters are a part of a name although nothing has been typed yet.
  private var isFinding = false
  /// An index into ``matches``.
  private var cursor: Int

  init(_ listing: AccountOverview.Listing) {
    self.listing = listing
    cursor = listing.accounts.firstIndex { $0.id == listing.active } ?? 0
  }

  /// Applies a key.
  mutating func take(_ key: Keystroke) -> Outcome {
    switch key {
    case .cancel: return .cancelled
    case .enter: return matches.isEmpty ? .open : .picked(listing.accounts[matches[cursor]])
    case .up: move(by: -1)
    case .down: move(by: 1)
    case .pageUp: cursor = max(cursor - 10, 0)
    case .pageDown: cursor = max(min(cursor + 10, matches.count - 1), 0)
    case .home: cursor = 0
    case .end: cursor = max(matches.count - 1, 0)
    case .backspace:
      if typed.isEmpty { isFinding = false }
      find(String(typed.dropLast()))
    case .eraseLine: find("")
    // As in pagers and editors, until a name is being typed; `/` lets one begin with them.
    case .text("j") where !isTyping: move(by: 1)
    case .text("k") where !isTyping: move(by: -1)
    case .text("/") where !isTyping: isFinding = true
    case .text(let character): find(typed + String(character))
    case .other: break
    }
    return .open
  }

  private var isTyping: Bool { isFinding || !typed.isEmpty }

  /// Around the ends, so that the last account is one key away from the first.
  private mutating func move(by step: Int) {
    guard !matches.isEmpty else { return }
    cursor = (cursor + step + matches.count) % matches.count
  }

  private mutating func find(_ text: String) {
    guard text != typed else { return }
    typed = text
    // The account of that number, or whose name begins with the text, precedes those that only
    // contain it: there is an "o" in every handle that ends in ".com".
    cursor =
      matches.firstIndex { "\($0 + 1)" == text }
      ?? matches.firstIndex {
        listing.accounts[$0].name.description.lowercased().hasPrefix(text.lowercased())
      } ?? 0
  }

  /// The accounts that match the typed text, as indices of the list.
  private var matches: [Int] {
    let part = typed.lowercased()
    return listing.accounts.indices.filter { index in
      let account = listing.accounts[index]
      let names = [account.name.description, account.handle?.description, account.displayName]
      return part.isEmpty || "\(index + 1)".hasPrefix(part)
        || names.contains { $0?.lowercased().contains(part) == true }
    }
  }
}

extension Picker {
  /// The lines to show now: no more than the terminal has rows, and one for the cursor.
  func lines(on screen: Screen, rows: Int, at now: Timestamp) -> [String] {
    let matches = matches
    let marked = matches.isEmpty ? nil : matches[cursor]
    // All are laid out, so that typing moves no column.
    let all = table(marking: marked, at: now).lines(on: screen)
    let room = max(rows - 3, 1)
    let start = max(0, min(cursor - room / 2, matches.count - room))
    let visible = matches[start..<min(start + room, matches.count)].map { all[$0] }
    return [screen.painted("switch to", .strong)] + visible + [lastLine(screen)]
  }

  /// As `list` shows them, with a number before each, and without titles.
  private func table(marking marked: Int?, at now: Timestamp) -> Table {
    var table = accountTable(listing, marking: listing.active, at: now)
    table.columns.insert(contentsOf: [Table.Column(""), Table.Column("")], at: 0)
    for index in table.columns.indices { (table.columns[index].title, table.columns[index].stacks) = ("", false) }
    // One line for each, whatever its name: the frame is drawn anew over itself.
    table.columns[3].floor = 8
    for index in table.rows.indices {
      let style = index == marked ? TextStyle.strong : .plain
      let name = Cell(listing.accounts[index].name.description, style)
      let lead = [Cell(index == marked ? ">" : " ", style), Cell("\(index + 1)", style)]
      table.rows[index] = lead + [table.rows[index][0], name] + table.rows[index].dropFirst(2)
    }
    return table
  }

  private func lastLine(_ screen: Screen) -> String {
    let limit = screen.columns ?? .max
    guard isTyping else {
      let words = "Enter selects, Esc cancels; type a number or a part of a name"
      return screen.painted(screen.shortened(words, to: limit), .faint)
    }
    let found = matches.isEmpty ? " (no such account)" : ""
    return screen.shortened(screen.shown("find: \(typed)\(found)"), to: limit)
  }
}
