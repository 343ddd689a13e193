import AcctEngine
import AcctModel

/// The accounts as `list` shows them; the active one is marked.
func accountTable(_ listing: AccountOverview.Listing, at now: Timestamp) -> Table {
  Table(
    columns: [
      Table.Column(""), Table.Column("NAME", floor: 14), Table.Column("SERVER", floor: 14, rank: 1),
      Table.Column("TOKEN", rank: 0), Table.Column("STATE"), Table.Column("EXPIRES", rank: 2),
    ],
    rows: listing.accounts.map { account in
      let isActive = account.id == listing.active
      let state = account.lastKnownState(at: now).state
      return [
        isActive ? "*" : " ",
        Cell(account.name.description, isActive ? .strong : .plain),
        Cell(account.server ?? "-", .faint),
        Cell(account.tokenType.rawValue, .faint),
        Cell(account.word(for: state, at: now), state.style),
        Cell(account.shownExpiry.map { relative($0, to: now) } ?? "-"),
      ]
    }
  )
}

extension Account {
  /// The server's host, in few words.
  var server: String? { service?.authority ?? origins.first?.authority }
}
