import AcctConsole
import AcctEngine
import AcctModel

/// The accounts as `list` shows them.
///
/// - Parameters:
///   - listing: The accounts.
///   - marked: The one that gets a mark.
///   - states: The states that are known better than the accounts' files have them.
///   - now: The time.
/// - Returns: The table.
func accountTable(
  _ listing: AccountOverview.Listing,
  marking marked: AccountID?,
  _ states: [AccountID: SessionState] = [:],
  at now: Timestamp
) -> Table {
  Table(
    columns: [
      Table.Column(""), Table.Column("NAME"), Table.Column("SERVER", floor: 14, rank: 1),
      Table.Column("TOKEN", rank: 0), Table.Column("STATE", stacks: true), Table.Column("EXPIRES", rank: 2),
    ],
    rows: listing.accounts.map { account in
      let isMarked = account.id == marked
      let state = states[account.id] ?? account.lastKnownState(at: now).state
      return [
        isMarked ? "*" : " ",
        Cell(account.name.description, isMarked ? .strong : .plain),
        Cell(account.server ?? "-", .faint),
        Cell(account.tokenType.rawValue, .faint),
        Cell(account.word(for: state, at: now), state.style),
        Cell(account.expiry(at: now) ?? "-"),
      ]
    }
  )
}

extension Account {
  /// The server's host, in few words.
  var server: String? { service?.authority ?? origins.places.first?.name }
}
