import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser

/// Makes an account the active one.
struct Switch: AcctCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make an account the active one.",
    discussion: "Without a name: the other one of two accounts, or a question on a terminal."
  )

  @Argument(help: "The account; - is the previous one.")
  var name: String?

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let change = ChangeAccounts(context.world, context.interaction)
    let account = try chosen(change, in: context)
    try await change.activate(account)
    return try context.done(account, "\(account.name) is active")
  }

  private func chosen(
    _ change: ChangeAccounts,
    in context: Context
  ) throws(EngineError) -> Account {
    guard let name = name ?? options.account else {
      if let other = try change.other() { return other }
      return try ask(in: context)
    }
    return name == "-" ? try change.previous() : try Selection(context.world).find(name)
  }

  private func ask(in context: Context) throws(EngineError) -> Account {
    let listing = try Overview(context.world).listing()
    let names = listing.accounts.map(\.name)
    guard context.interaction == .allowed, context.world.terminal.canAsk() else {
      throw .undecidedSwitch(candidates: names)
    }
    for (index, account) in listing.accounts.enumerated() {
      let mark = account.id == listing.active ? " (active)" : ""
      context.world.streams.notice("\(index + 1)  \(printable(account.name.description))\(mark)")
    }
    guard let answer = context.world.terminal.ask("switch to (number or name): ") else {
      throw .cancelled
    }
    if let number = Int(answer), listing.accounts.indices.contains(number - 1) {
      return listing.accounts[number - 1]
    }
    return try Selection(context.world).find(answer)
  }
}
