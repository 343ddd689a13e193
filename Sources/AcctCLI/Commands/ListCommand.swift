import AcctConsole
import AcctDevices
import AcctEngine
import AcctModel
import Secrets
import AcctPorts
import ArgumentParser
import StrictJSON
import Synchronization

/// Shows every account; works offline and while the keyring is locked.
///
/// A shared keyring is asked for the accounts of other machines, if it can be.
struct ListCommand: AcctCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Show every account.")

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let overview = AccountOverview(context.engine)
    let now = context.world.clock.now()
    if let notice = await overview.bringUpToDate() { context.report([notice]) }
    if options.json {
      let listing = try await overview.listing(asJSONAt: now, in: context)
      context.report(skipped: listing.damaged)
      try await listing.output(in: context)
      return .done
    }
    let listing = try overview.listing()
    context.report(skipped: listing.damaged)
    let selected = try await context.selected(before: listing.active)
    guard !listing.accounts.isEmpty else {
      if listing.damaged.isEmpty { context.notice("there is no account yet; `acct add` adds one") }
      return .done
    }
    let marked = selected?.account.id ?? listing.active
    let states = await CheckHardwareKey(context.engine).states(of: listing.accounts)
    try context.output(accountTable(listing, marking: marked, states, at: now).lines(on: context.screen))
    for account in listing.accounts { context.report(account.endWarnings(at: now)) }
    if let selected, !selected.selectedBy.isPreference {
      let place = selected.directoryFile.map { " \(printable($0))" } ?? ""
      context.notice("\(selected.account.name) is chosen by \(words(for: selected.selectedBy))\(place)")
    }
    return .done
  }
}

extension Context {
  /// The account that a command run here would use: the one that `--account` names, else as
  /// ``Selection/selected(before:)`` says.
  fileprivate func selected(before active: AccountID?) async throws(EngineError) -> Selection.Choice? {
    options.account == nil ? Selection(engine).selected(before: active) : try await choose()
  }
}

extension AccountOverview {
  /// Every account as the text of its object in the contract.
  func listing(asJSONAt now: Timestamp, in context: Context) async throws(EngineError) -> Contents<[UInt8]> {
    let held = Mutex<[Account]>([])
    let listing = try texts(at: now, [:]) { account in held.withLock { $0.append(account) } }
    let states = await CheckHardwareKey(context.engine).states(of: held.withLock(\.self))
    return states.isEmpty ? listing : try texts(at: now, states) { _ in }
  }

  /// - Parameters:
  ///   - now: The time.
  ///   - states: The states that are known better than the accounts' files have them.
  ///   - isHeld: Takes each account whose key is in a device.
  /// - Returns: The texts.
  /// - Throws: ``FilesError`` if the folder of accounts can't be read.
  private func texts(
    at now: Timestamp,
    _ states: [AccountID: SessionState],
    isHeld: @Sendable (Account) -> Void
  ) throws(EngineError) -> Contents<[UInt8]> {
    try texts { account, isActive in
      var assessment = account.lastKnownState(at: now)
      if account.keyStorage != .software {
        isHeld(account)
        if let state = states[account.id] { assessment = Assessment(state, reason: nil, .stop) }
      }
      return JSON.serialized(account.members(assessment, isActive: isActive))
    }
  }
}

extension AccountOverview.Contents<[UInt8]> {
  /// The object of `list` in the contract.
  func output(in context: Context) async throws(EngineError) {
    let selected = try await context.selected(before: active)
    try JSON.serialize(
      envelope([
        "active": .init(active?.description),
        "selected": .init((selected?.account.id ?? active)?.description),
      ]),
      "accounts",
      of: accounts
    ) { part throws(EngineError) in try context.output(Secret(consuming: &part)) }
    try context.output(Secret("\n"))
  }
}
