import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import StrictJSON

/// Shows every account; works offline and while the keyring is locked.
struct List: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show every account."
  )

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let listing = try Overview(context.world).listing()
    let now = context.world.clock.now()
    for id in listing.damaged { context.notice("the file of account \(id) is damaged; skipped") }

    if options.json {
      try listing.output(at: now, in: context)
      return .done
    }
    guard !listing.accounts.isEmpty else {
      context.notice("there is no account yet; `acct add` adds one")
      return .done
    }
    try context.output(accountTable(listing, at: now).lines(on: context.screen))
    return .done
  }
}

extension Overview.Listing {
  /// The object of `list` in the contract.
  func output(at now: Timestamp, in context: Context) throws(EngineError) {
    try JSON.serialize(
      ["version": 1, "active": .init(active?.description)],
      "accounts",
      of: accounts.lazy.map { $0.json($0.lastKnownState(at: now), isActive: $0.id == active) }
    ) { part throws(EngineError) in try context.output(Secret(consuming: &part)) }
    try context.output(Secret("\n"))
  }
}
