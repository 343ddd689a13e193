import AcctConsole
import AcctEngine
import AcctModel
import StrictJSON

/// The events as `log` shows them, times in UTC.
func logTable(_ entries: [AccountLog.Entry]) -> Table {
  Table(
    columns: [
      Table.Column("TIME"), Table.Column("ACCOUNT"), Table.Column("EVENT"),
      Table.Column("MACHINE", floor: 8, rank: 1), Table.Column("PROGRAM", rank: 0),
      Table.Column("ORIGIN", floor: 14, rank: 2),
    ],
    rows: entries.map { entry in
      let event = entry.event
      return [
        Cell(event.time.description, .faint), Cell(entry.accountName.description), Cell(event.kind.words),
        Cell(event.machine ?? "-"), Cell(event.program ?? "-", .faint), Cell(event.origin?.description ?? "-", .faint),
      ]
    }
  )
}

/// The last uses of accounts as `log --used` shows them, times in UTC.
func useTable(_ uses: [AccountLog.LastUse]) -> Table {
  Table(
    columns: [
      Table.Column("ACCOUNT"), Table.Column("LAST USED"), Table.Column("PROGRAM", rank: 0),
      Table.Column("ORIGIN", floor: 14, rank: 1),
    ],
    rows: uses.map { last in
      [
        Cell(last.account.name.description), Cell(last.use?.time.description ?? "never", .faint),
        Cell(last.use?.program ?? "-"), Cell(last.use?.origin?.description ?? "-", .faint),
      ]
    }
  )
}

extension AccountLog.LastUse {
  /// The `USE` object of the contract.
  var json: JSON {
    [
      "account": .string(account.id.description),
      "accountName": .string(account.name.description),
      "lastUsedAt": .init(use?.time.description),
      "program": .init(use?.program),
      "origin": .init(use?.origin?.description),
    ]
  }
}

extension AccountLog.Entry {
  /// The `EVENT` object of the contract.
  var json: JSON {
    [
      "time": .string(event.time.description),
      "account": .string(account.description),
      "accountName": .string(accountName.description),
      "event": .string(event.kind.rawValue),
      "machine": .init(event.machine),
      "program": .init(event.program),
      "origin": .init(event.origin?.description),
    ]
  }
}

extension AccountEvent.Kind {
  fileprivate var words: String {
    switch self {
    case .added, .renewed, .allowed, .exported, .moved, .removed, .refused, .used: rawValue
    case .signedIn: "signed in"
    case .renewalRefused: "renewal refused"
    case .other: "known to a later acct"
    }
  }
}
