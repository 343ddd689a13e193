import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser

/// Makes an account the active one.
struct SwitchCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "switch",
    abstract: "Make an account the active one.",
    discussion: "Without a name: the other one of two accounts, or a prompt on a terminal."
  )

  @Argument(help: "The account; - is the previous one.")
  var name: String?

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let change = ChangeAccounts(context.engine)
    if name == nil, options.account == nil, let notice = await AccountOverview(context.engine).bringUpToDate() {
      context.report([notice])
    }
    let account = try await chosen(change, in: context)
    try await change.activate(account)
    let status = try context.done(account, "\(account.name) is active")
    if let choice = Selection(context.engine).selected(before: account.id), choice.account.id != account.id {
      let rule = words(for: choice.selectedBy)
      let place = choice.directoryFile.map { " \(printable($0))" } ?? ""
      context.notice("here \(rule)\(place) chooses \(choice.account.name) before it")
    }
    return status
  }

  private func chosen(_ change: ChangeAccounts, in context: Context) async throws(EngineError) -> Account {
    guard let name = name ?? options.account else {
      if let other = try change.other() { return other }
      return try await ask(in: context)
    }
    return name == "-" ? try change.previous() : try await Selection(context.engine).find(name)
  }

  private func ask(in context: Context) async throws(EngineError) -> Account {
    let listing = try AccountOverview(context.engine).listing()
    guard context.interaction == .allowed, context.world.terminal.canAsk() else {
      throw .selection(.undecidedSwitch(candidates: listing.accounts.map(\.name)))
    }
    switch pick(from: listing, in: context) {
    case .picked(let account): return account
    case .cancelled: throw .cancelled
    case .open: return try await askForLine(listing, in: context)
    }
  }

  /// Lets the user pick by single keys; still undecided if the terminal can't do that.
  private func pick(from listing: AccountOverview.Listing, in context: Context) -> Picker.Outcome {
    guard !context.world.terminalIsDumb else { return .open }
    var picker = Picker(listing)
    var screen = Screen(context.world, options)
    let now = context.world.clock.now()
    // An end without a key (a closed window, no input for long) is a cancellation.
    var outcome = Picker.Outcome.cancelled
    let isAble = context.world.terminal.interact { key, size in
      if let key {
        let taken = picker.take(key)
        guard taken == .open else {
          outcome = taken
          return nil
        }
      }
      // A line that fills the last column would move some terminals to the next one.
      screen.columns = size.columns - 1
      return picker.lines(on: screen, rows: size.rows, at: now)
    }
    return isAble ? outcome : .open
  }

  private func askForLine(
    _ listing: AccountOverview.Listing,
    in context: Context
  ) async throws(EngineError) -> Account {
    for (index, account) in listing.accounts.enumerated() {
      let mark = account.id == listing.active ? " (active)" : ""
      context.world.report("\(index + 1)  \(account.name)\(mark)")
    }
    guard let answer = context.world.terminal.ask("switch to (number or name): ") else { throw .cancelled }
    if let number = Int(answer), listing.accounts.indices.contains(number - 1) { return listing.accounts[number - 1] }
    return try await Selection(context.engine).find(answer)
  }
}
