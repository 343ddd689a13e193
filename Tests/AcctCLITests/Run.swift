import AcctCLI
import AcctPorts
import AcctTestSupport
import Testing

extension RecordedWorld {
  func run(_ arguments: [String]) async -> Int32 {
    await Acct.run(
      arguments,
      in: world(),
      devices: devices,
      schemes: desktop.handler(),
      parsedBy: ParsedLines.parse
    )
  }
}

extension InMemoryKeyring {
  /// The number of items of all accounts.
  var count: Int { items.values.reduce(0) { $0 + $1.count } }

  /// Loses items of every account, as when another program cleared the keyring.
  func lose(_ kinds: [ItemKind] = ItemKind.allCases) async throws {
    for account in items.keys { try await keyring().remove(account, kinds, .forbidden) }
  }
}
