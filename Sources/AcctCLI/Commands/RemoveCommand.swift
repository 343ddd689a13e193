import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import StrictJSON

/// Deletes every local trace of accounts.
struct RemoveCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove accounts and everything stored for them.",
    discussion: "What no server can give again, such as a key, is removed on a terminal only after a question."
  )

  @Argument(help: "The accounts.")
  var names: [String] = []

  @Flag(help: "All accounts.")
  var all = false

  @Flag(help: "Do not tell the server.")
  var local = false

  @Flag(help: "Do not ask.")
  var yes = false

  @OptionGroup var options: SharedOptions

  func validate() throws {
    guard names.isEmpty == all else { throw ValidationError("remove takes the names of accounts, or --all") }
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    if names.count == 1, let status = try await removeUnreadable(names[0], in: context) { return status }
    let accounts = try await chosen(in: context)
    try confirm(accounts, in: context)
    let change = ChangeAccounts(context.engine)
    for account in accounts {
      let reach = try context.engine.isShared(account) ? ", for all machines" : ""
      context.report(try await change.remove(account, revoking: !local))
      let text = "removed \(account.name)\(reach)"
      if names.count == 1 { return try context.done(account, text) }
      if !options.json { context.notice(text) }
    }
    if options.json {
      try context.output(envelope(["removed": .array(accounts.map { .string($0.name.description) })]))
    } else if accounts.isEmpty {
      context.notice("there is no account")
    }
    return .done
  }

  /// The accounts, all of which are there before the first is removed; each once.
  private func chosen(in context: Context) async throws(EngineError) -> [Account] {
    guard !all else { return try context.everyAccount() }
    var accounts: [Account] = []
    for name in names {
      let account = try await Selection(context.engine).find(name)
      if !accounts.contains(where: { $0.id == account.id }) { accounts.append(account) }
    }
    return accounts
  }

  /// Asks a person before what only acct has is deleted, and before all accounts are.
  private func confirm(_ accounts: [Account], in context: Context) throws(EngineError) {
    guard !yes, !accounts.isEmpty else { return }
    let only = accounts.filter(\.isKeptHereAlone)
    guard context.canAsk else {
      // A script has named the others one by one.
      if all { throw .input(.removalUnconfirmed(accounts.map(\.name))) }
      return
    }
    let question: String
    if all {
      question = "acct: remove all \(accounts.count) accounts: \(list(accounts.map(\.name)))? [y/N] "
    } else if !only.isEmpty {
      let what = only.count == 1 ? "its credential is" : "their credentials are"
      question = "acct: remove \(list(only.map(\.name)))? \(what) kept nowhere else [y/N] "
    } else {
      return
    }
    guard context.world.terminal.asksYes(question) else { throw .cancelled }
  }

  /// Removes an account that can't be read or opened, by its identifier; `nil` for any other.
  private func removeUnreadable(_ name: String, in context: Context) async throws(EngineError) -> ExitStatus? {
    let change = ChangeAccounts(context.engine)
    do throws(EngineError) {
      _ = try await Selection(context.engine).find(name)
      return nil
    } catch .files(.skipped(let skipped)) where skipped.flaw == .damaged && (try? AccountID(name)) == skipped.id {
      let id = skipped.id
      context.report([try await change.removeDamaged(id)].compactMap(\.self))
      return try done(id, "removed the damaged account \(id)", context)
    } catch {
      // One that does not open has no file here, and is known by its identifier alone.
      guard let id = try? AccountID(name), try await change.removeUnopened(id) else { throw error }
      return try done(id, "removed \(id), for all machines", context)
    }
  }

  private func done(_ id: AccountID, _ text: String, _ context: Context) throws(EngineError) -> ExitStatus {
    if options.json {
      try context.output(envelope(["removed": .string(id.description)]))
    } else {
      context.notice(text)
    }
    return .done
  }
}

extension Account {
  /// `true` if no sign-in brings its credential back: a key, an import without a server, a key in a device.
  fileprivate var isKeptHereAlone: Bool {
    kind == .static || source == .user && identity.issuer == nil && service == nil || keyStorage != .software
  }
}
