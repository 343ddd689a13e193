import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import FleetPorts
import StrictJSON

/// Leaves a shared keyring.
struct LeaveCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave",
    abstract: "Stop sharing a keyring on this machine; the engine keeps the accounts.",
    discussion: """
      The accounts are not on this machine any more then: `acct keyring move vault` before it keeps a \
      copy. Fails while a server's answer is still to be stored.
      """
  )

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let (count, unopened) = try await ShareKeyring(context.engine).leave()
    tell(of: unopened, context)
    if options.json {
      try context.output(
        envelope([
          "left": true, "accounts": .number(JSONNumber(Int64(count))),
          "unopened": unopened.json,
        ])
      )
    } else if count == 0 {
      context.notice("left the shared keyring; the engine keeps its accounts")
    } else {
      context.notice(
        "left the shared keyring; the engine keeps \(words(forAccounts: count)), and this machine has none"
      )
    }
    return .done
  }
}

/// Accepts an engine that was restored from a backup.
struct TrustCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust",
    abstract: "Accept a shared keyring that was restored from a backup.",
    discussion: """
      Tokens that were renewed after the backup are lost; those accounts sign in again. Accounts and origins that \
      come back with it, such as one that was revoked, are named, and can be used at once.
      """
  )

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let trusted = try await ShareKeyring(context.engine).trust()
    tell(of: trusted.unopened, context)
    if options.json {
      try context.output(
        envelope(["trusted": true, "unopened": trusted.unopened.json, "changes": trusted.changes])
      )
      return .done
    }
    for name in trusted.added { context.notice("\(name) is an account here now: `acct remove \(name)` removes it") }
    for (name, origin) in trusted.origins {
      context.notice("\(name) is allowed at \(origin) now: `acct allow \(name) \(origin) --revoke` revokes that")
    }
    for name in trusted.removed { context.notice("\(name) is not in the shared keyring, and no account here now") }
    context.notice("the shared keyring is trusted as it is now")
    return .done
  }
}

extension Trusted {
  /// The object of the contract.
  fileprivate var changes: JSON {
    [
      "added": .array(added.map { .string($0.description) }),
      "removed": .array(removed.map { .string($0.description) }),
      "origins": .array(
        origins.map { ["account": .string($0.account.description), "origin": .string($0.origin.description)] }
      ),
    ]
  }
}

/// Reports the accounts and answers that could not be opened, and the files that the answers were moved to.
private func tell(of unopened: SharedKeyring.Unopened, _ context: Context) {
  if !unopened.accounts.isEmpty {
    let ids = unopened.accounts.map(\.description).sorted().joined(separator: ", ")
    context.notice("\(words(forAccounts: unopened.accounts.count)) on the engine can't be opened: \(ids)")
    context.notice("hint: acct remove --local ID removes one there, for all machines")
  }
  for (id, path) in unopened.answers.sorted(by: { $0.value < $1.value }) {
    context.notice(
      "a server's answer for \(id) can't be opened any more, and was moved to \(printable(path)); "
        + "the account may have to sign in again"
    )
  }
}

extension SharedKeyring.Unopened {
  /// The object of the contract.
  fileprivate var json: JSON {
    [
      "accounts": .array(accounts.map(\.description).sorted().map(JSON.string)),
      "answers": .array(answers.values.sorted().map(JSON.string)),
    ]
  }
}
