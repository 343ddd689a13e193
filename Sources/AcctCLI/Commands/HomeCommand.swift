import AcctConsole
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
      try await overview.listing(asJSONAt: context.world.clock.now(), in: context).output(in: context)
      return .done
    }
    let listing = try overview.listing()
    let screen = context.screen
    let (choice, now) = (try await choice(context, among: listing), context.world.clock.now())
    let greeting = greeting(listing, choice, at: now)
    let words = wrapped(screen.shown(greeting.text), at: screen.columns).map { screen.painted($0, greeting.style) }
    let next = lines(verbs(listing, choice?.account, at: now).map { Field(Cell($0, .strong), Cell($1)) }, on: screen)
    let more = wrapped("acct --help lists all commands", at: screen.columns).map { screen.painted($0, .faint) }
    try context.output(words + [""] + next + [""] + more)
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
    guard let time = account.shownExpiry, let words = account.expiry(at: now) else { return "" }
    return ", its token \(time > now ? "expires" : "expired") \(words)"
  }

  /// The commands that work now, the most useful first.
  private func verbs(_ listing: AccountOverview.Listing, _ account: Account?, at now: Timestamp) -> [(String, String)] {
    guard !listing.accounts.isEmpty else {
      return [
        ("acct add", "sign in; it asks for all that it needs"),
        ("acct add HANDLE", "sign in to Bluesky; acct add --help has other ways"),
      ]
    }
    let others = [
      ("acct list", "every account; there \(countWords(listing.accounts.count))"),
      ("acct switch", account == nil ? "make one active" : "make another one active"),
      ("acct add", "add one"),
    ]
    guard let account else { return [others[1], others[0], others[2]] }
    let more = [("acct status", "more about the account")] + others.filter { $0.0 != "acct switch" || hasMore(listing) }
    if account.lastKnownState(at: now).needsPerson { return [("acct login", "sign in again")] + more }
    return [("acct header URL | curl -H @- URL", "make a request with its credentials")] + more
  }

  private func hasMore(_ listing: AccountOverview.Listing) -> Bool { listing.accounts.count > 1 }

  private func countWords(_ count: Int) -> String { count == 1 ? "is 1" : "are \(count)" }
}
