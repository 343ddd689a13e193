package import AcctEngine
package import AcctModel
package import Secrets
package import AcctPorts
package import StrictJSON

/// The environment of a command: the world, and the options that every command has.
package struct Context {
  /// The context of the use cases.
  package private(set) var engine: EngineContext
  package let options: SharedOptions
  /// The account that was chosen last, for the hint of a failure.
  package let chosen = ChosenAccount()
  /// The exit status of a program that acct waited for.
  package let programStatus = ProgramStatus()

  /// `true` if the command is for a document's account.
  package var isDocument = false

  /// The long waits, if a terminal shows them.
  package let waits: LongWaits?

  package init(
    _ world: World,
    _ options: SharedOptions,
    devices: (any KeysInDevices)? = nil,
    fleet: (any AccountsInFleet)? = nil,
    backends: (any AppBackends)? = nil
  ) {
    let explains = options.verbose && !options.quiet
    var world = explains ? world.logging() : world
    waits = options.quiet || options.json ? nil : LongWaits(world.streams, world.clock, world.environment.variable)
    if let waits { world = world.showing(waits) }
    var engine = EngineContext(
      world,
      options.noInput ? .forbidden : .allowed,
      timeout: options.timeLimit,
      devices: devices,
      fleet: fleet,
      backends: backends,
      report: WaitingNotices(world: world, isQuiet: options.quiet).show
    )
    let tell: @Sendable (Decision) -> Void = { [world] decision in world.report("acct: \(words(for: decision))") }
    engine.voice = Voice(
      words: { (prompt: Prompt) in words(for: prompt) },
      explain: explains ? tell : nil,
      notice: options.quiet ? nil : tell
    )
    self.engine = engine
    self.options = options
  }

  package var world: World { engine.world }

  /// This context with another browser, if the user names one for this time.
  ///
  /// - Parameter command: A command, as `BROWSER` takes one.
  /// - Returns: The context.
  package func opening(_ command: String?) -> Context {
    guard let command else { return self }
    var context = self
    let openWith = world.browser.openWith
    context.engine.world.browser.open = { address in await openWith(address, command) }
    return context
  }

  /// Standard output as a screen: its width, its characters and its colours.
  package var screen: Screen { Screen(output: world, options) }

  package var interaction: Interaction { engine.interaction }

  /// `true` if a person at a terminal may be asked.
  package var canAsk: Bool { interaction == .allowed && world.terminal.canAsk() }

  /// Returns `true` for a file that a person at the terminal types now: a secret of it is asked for without echo.
  package func isTyped(_ file: String) -> Bool { file == "-" && canAsk && world.terminal.isInput() }

  /// Chooses the account, and says which `.acct` files were ignored.
  ///
  /// - Parameters:
  ///   - name: The account that the command itself names, if it does.
  ///   - destination: The URL of the request that it is for, if it is for one.
  /// - Returns: The account, and the rule that chose it.
  /// - Throws: ``EngineError`` for an unknown or ambiguous name, or none.
  package func choose(_ name: String? = nil, for destination: Destination? = nil) async throws(EngineError)
    -> Selection.Choice
  {
    let choice = try await Selection(engine).choose(name ?? options.account, for: destination)
    chosen.name = choice.account.name
    for case .ignored(let path, let reason) in choice.ignored { notice("\(path) is ignored: \(reason)") }
    if options.verbose {
      let rule = words(for: choice.selectedBy)
      notice("using \(choice.account.name): " + (choice.selectedBy.isPreference ? rule : "chosen by \(rule)"))
    } else if choice.selectedBy == .url, let url = destination?.url {
      let place = choice.account.origins.nearestPlace(to: url) ?? Place(url.origin)
      notice("using \(choice.account.name), which has \(place)")
    } else if choice.selectedBy == .user, let other = options.account ?? world.environment.variable("ACCT_ACCOUNT") {
      notice("using \(choice.account.name), whose user is in the URL, and not \(printable(other))")
    }
    if let former = choice.formerName {
      let source = choice.directoryFile.map { ", in \(printable($0))," } ?? ""
      notice("\(printable(former))\(source) is now called \(choice.account.name)")
    }
    if let path = choice.directoryFile { announce(path, choice) }
    return choice
  }

  /// Says once that a `.acct` file chooses the account, if a terminal shows it.
  private func announce(_ path: String, _ choice: Selection.Choice) {
    let names = choice.directoryNames.count > 1 ? choice.directoryNames : [choice.account.name.description]
    let text = names.joined(separator: ", ")
    guard world.streams.passing != nil, !options.quiet, DirectoryHistory(world).isFirst(path, choosing: text)
    else { return }
    let rule = names.count > 1 ? ", the first or the one that has a URL," : ""
    notice("\(printable(path)) chooses \(printable(text))\(rule) in this folder and below; this is said once")
  }

  /// Says something on standard error that is not an error.
  package func notice(_ text: String) {
    guard !options.quiet else { return }
    world.report("acct: \(text)")
  }

  /// Prints lines as the result.
  package func output(_ lines: [String]) throws(EngineError) { try output(Secret(lines.map { $0 + "\n" }.joined())) }

  /// Prints bytes as the result, as they are.
  package func output(_ bytes: Secret) throws(EngineError) {
    do { try world.streams.output(bytes) } catch { throw .files(.output(error)) }
  }

  /// Prints one JSON object on one line.
  package func output(_ json: JSON) throws(EngineError) {
    var bytes = json.serialized()
    bytes.append(UInt8(ascii: "\n"))
    try output(Secret(consuming: &bytes))
  }

  /// Prints an object in its envelope on one line.
  package func output(_ object: JSONObject) throws(EngineError) { try output(.object(object)) }

  /// Prints an account as the result of a change, where JSON is asked for; else says `text`.
  package func done(_ account: Account, _ text: String) throws(EngineError) -> ExitStatus {
    if options.json {
      let active = try AccountOverview(engine).listing().active
      let json = account.json(account.lastKnownState(at: world.clock.now()), isActive: active == account.id)
      try output(envelope(["account": json]))
    } else {
      notice(text)
    }
    return .done
  }

  /// Accounts as the contract's `ACCOUNT` objects, with their last known state.
  package func json(of accounts: [Account]) throws(EngineError) -> JSON {
    let active = try AccountOverview(engine).listing().active
    let now = world.clock.now()
    return .array(accounts.map { $0.json($0.lastKnownState(at: now), isActive: $0.id == active) })
  }

  /// Prints the result for an account that has just been changed, as it is now.
  package func done(_ id: AccountID, _ text: String) async throws(EngineError) -> ExitStatus {
    try done(await Selection(engine).find(id.description), text)
  }

  /// Every account that can be read; a line on standard error names each one that can't.
  package func everyAccount() throws(EngineError) -> [Account] {
    let listing = try AccountOverview(engine).listing()
    report(skipped: listing.damaged)
    return listing.accounts
  }

  /// Names accounts that can't be read.
  package func report(skipped damaged: [AccountID]) {
    for text in ErrorMessage.notices(of: engine.skipped(damaged)) { notice("\(text); skipped") }
  }

  /// Prints notices that matter to the user although the command succeeded.
  package func report(_ notices: [Notice]) {
    for notice in notices { self.notice(words(for: notice)) }
  }
}
