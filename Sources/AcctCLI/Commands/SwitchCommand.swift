import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import StrictJSON

/// Makes an account the active one.
struct SwitchCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "switch",
    abstract: "Make an account the active one.",
    discussion: """
      Without a name: the other one of two accounts, or a prompt on a terminal.

      With --here it stays the active one elsewhere: the names go into the file .acct, which chooses the account in this \
      folder and below. Of several, a URL chooses, else the first is meant.
      """
  )

  @Argument(help: "The account; - is the previous one. With --here, one or more.")
  var names: [String] = []

  @Flag(help: "For this folder and all below it: write .acct.")
  var here = false

  @Flag(help: "With --here: keep the names that .acct has.")
  var add = false

  @OptionGroup var options: SharedOptions

  private var name: String? { names.first }

  func validate() throws {
    guard here || names.count <= 1 else { throw ValidationError("switch takes one name, or several with --here") }
    guard here || !add else { throw ValidationError("--add goes with --here") }
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let change = ChangeAccounts(context.engine)
    if here { return try await pin(change, in: context) }
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

  private func pin(_ change: ChangeAccounts, in context: Context) async throws(EngineError) -> ExitStatus {
    var accounts: [Account] = []
    for name in names {
      accounts.append(name == "-" ? try change.previous() : try await Selection(context.engine).find(name))
    }
    if accounts.isEmpty { accounts = [try await Selection(context.engine).choose(options.account).account] }
    let (path, names, before) = try PinAccounts(context.engine).write(accounts.map(\.name), isAdded: add)
    if options.json {
      try context.output(envelope(["file": .string(path), "accountNames": .array(names.map { .string($0) })]))
    } else {
      let former = before.filter { !names.contains($0) }
      let replaced = former.isEmpty ? "" : ", and no longer \(former.map(printable).joined(separator: ", "))"
      context.notice("\(printable(path)) chooses \(names.map(printable).joined(separator: ", "))\(replaced)")
    }
    return .done
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
