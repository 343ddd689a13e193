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
      let accounts = listing.accounts.map {
        $0.json($0.lastKnownState(at: now), isActive: $0.id == listing.active)
      }
      try context.output([
        "version": 1,
        "active": listing.active.map { .string($0.description) } ?? .null,
        "accounts": .array(accounts),
      ])
      return .done
    }
    guard !listing.accounts.isEmpty else {
      context.notice("there is no account yet; `acct add` adds one")
      return .done
    }
    let rows = listing.accounts.map { account in
      let assessment = account.lastKnownState(at: now)
      return [
        account.id == listing.active ? "*" : " ",
        printable(account.name.description),
        account.service?.authority ?? account.origins.first?.authority ?? "-",
        account.tokenType.rawValue,
        assessment.state.rawValue,
        account.lease.expiresAt.map { relative($0, to: now) } ?? "-",
      ]
    }
    try context.output(
      table(["", "NAME", "SERVER", "TOKEN", "STATE", "EXPIRES"], rows)
    )
    return .done
  }
}
