import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser

/// The output of `acct` alone: the account's state, and the next step.
struct HomeCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "home",
    abstract: "Show the account in use, and what to do next.",
    shouldDisplay: false
  )

  /// A word that is not a command's name ends up here.
  @Argument(help: .hidden)
  var rest: [String] = []

  @OptionGroup var options: SharedOptions

  func validate() throws {
    guard let name = rest.first else { return }
    throw ValidationError("there is no command \(name)")
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let overview = AccountOverview(context.engine)
    if options.json {
      try overview.listing(asJSONAt: context.world.clock.now()).output(in: context)
      return .done
    }
    let listing = try overview.listing()
    let screen = context.screen
    let greeting = greeting(listing, try await choice(context, among: listing), at: context.world.clock.now())
    let words = wrapped(screen.shown(greeting.text), at: screen.columns)
    let next = lines(verbs(listing).map { Field(Cell($0, .strong), Cell($1)) }, on: screen)
    let more = screen.painted("acct --help lists all commands", .faint)
    try context.output(words.map { screen.painted($0, greeting.style) } + [""] + next + ["", more])
    return .done
  }

  /// The account that the next command would be for; `nil` if there is none.
  private func choice(
    _ context: Context,
    among listing: AccountOverview.Listing
  ) async throws(EngineError) -> Selection.Choice? {
    guard !listing.accounts.isEmpty else { return nil }
    do throws(EngineError) { return try await context.choose() } catch {
      if case .selection(.noneActive) = error { return nil }
      throw error
    }
  }

  private func greeting(_ listing: AccountOverview.Listing, _ choice: Selection.Choice?, at now: Timestamp) -> Cell {
    guard !listing.accounts.isEmpty else {
      return "acct keeps the accounts that you are signed in to; there are none yet"
    }
    guard let choice else { return "no account is active" }
    let account = choice.account
    let state = account.lastKnownState(at: now).state
    let server = account.server.map { " at \($0)" } ?? ""
    let rule =
      choice.selectedBy == .active
      ? "active" : choice.selectedBy == .only ? "the only one" : "chosen by \(words(for: choice.selectedBy))"
    let words = "\(account.name)\(server) is \(rule): \(account.word(for: state, at: now))"
    return Cell(words + expiry(of: account, at: now), state == .valid ? .strong : state.style)
  }

  /// When its token expires, if the state has a time.
  private func expiry(of account: Account, at now: Timestamp) -> String {
    guard let time = account.shownExpiry else { return "" }
    return ", its token \(time > now ? "expires" : "expired") \(relative(time, to: now))"
  }

  private func verbs(_ listing: AccountOverview.Listing) -> [(String, String)] {
    guard !listing.accounts.isEmpty else {
      return [
        ("acct add HANDLE", "sign in; acct add --help has other ways"),
        ("acct list", "every account"),
        ("acct header URL | curl -H @- URL", "make a request with its credentials"),
      ]
    }
    return [
      ("acct header URL | curl -H @- URL", "make a request with its credentials"),
      ("acct status", "more about the account"),
      ("acct list", "every account; there \(countWords(listing.accounts.count))"),
      ("acct switch", "make another one active"),
      ("acct add HANDLE", "add one"),
    ]
  }

  private func countWords(_ count: Int) -> String { count == 1 ? "is 1" : "are \(count)" }
}
