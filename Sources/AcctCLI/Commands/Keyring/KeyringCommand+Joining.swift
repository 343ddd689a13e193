import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import StrictJSON

extension KeyringCommand {
  /// Makes a shared keyring.
  struct Create: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "create",
      abstract: "Make a keyring on etcd or PostgreSQL that other machines can join.",
      discussion: "One of that name is joined, if the passphrase opens it."
    )

    @OptionGroup var keyring: KeyringOptions

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      try await begin(keyring.settings(in: context.world), .create, context)
    }
  }

  /// Joins a shared keyring.
  struct Join: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "join",
      abstract: "Join a keyring that another machine has made."
    )

    @OptionGroup var keyring: KeyringOptions

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      try await begin(keyring.settings(in: context.world), .join, context)
    }
  }
}

private func begin(
  _ settings: SharedKeyringSettings,
  _ way: ShareKeyring.Way,
  _ context: Context
) async throws(EngineError) -> ExitStatus {
  let outcome = try await ShareKeyring(context.engine).begin(settings, way)
  let kind = settings.kind.rawValue
  if context.options.json {
    try context.output(
      envelope([
        "shared": ["kind": .string(kind), "name": .string(settings.name)],
        "inUse": .bool(outcome.stillIn == nil),
        "accounts": .number(JSONNumber(Int64(outcome.accounts))),
      ])
    )
    return .done
  }
  let verb = way == .create ? "made" : "joined"
  if let other = outcome.stillIn {
    context.notice("\(verb) the keyring \(settings.name) on \(kind); it is not in use yet")
    context.notice("hint: the accounts are in \(other.rawValue): `acct keyring move \(kind)` moves them")
  } else {
    context.notice("\(verb) the keyring \(settings.name) on \(kind), with \(words(forAccounts: outcome.accounts))")
  }
  return .done
}

/// A number of accounts.
func words(forAccounts count: Int) -> String { count == 1 ? "1 account" : "\(count) accounts" }
