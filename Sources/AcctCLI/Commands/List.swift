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
      try context.output(json: listing.serialized(at: now))
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
  func serialized(at now: Timestamp) -> [UInt8] {
    JSON.serialized(
      ["version": 1, "active": .init(active?.description)],
      "accounts",
      of: accounts.lazy.map { $0.json($0.lastKnownState(at: now), isActive: $0.id == active) }
    )
  }
}
