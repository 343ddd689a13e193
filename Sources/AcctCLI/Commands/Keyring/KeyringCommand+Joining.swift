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
      abstract: "Join a keyring that another machine has made.",
      discussion: """
        With its passphrase or key file; or with --code, which prints a code and waits until another machine lets this \
        one in: acct keyring approve CODE.
        """
    )

    @OptionGroup var keyring: KeyringOptions

    @Flag(help: "Join by a code that another machine approves, with a key of this machine's own.")
    var code = false

    @OptionGroup var place: MachineKeyOption

    @OptionGroup var options: SharedOptions

    func validate() throws {
      guard code || place.machineKey == nil else { throw ValidationError("--machine-key needs --code") }
    }

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      let settings = try keyring.settings(in: context.world)
      guard code else { return try await begin(settings, .join, context) }
      let world = context.world
      let tpm = try place.tpm(world.environment)
      let outcome = try await ShareKeyring(context.engine).request(settings, keyIn: tpm) { code in
        // Printed in spite of `--quiet`: without it nothing goes on.
        world.report("acct: on another machine, within 10 minutes: acct keyring approve \(code)")
      }
      return try tell(of: outcome, settings, "joined", context)
    }
  }
}

private func begin(
  _ settings: SharedKeyringSettings,
  _ way: ShareKeyring.Way,
  _ context: Context
) async throws(EngineError) -> ExitStatus {
  let outcome = try await ShareKeyring(context.engine).begin(settings, way)
  return try tell(of: outcome, settings, way == .create ? "made" : "joined", context)
}

private func tell(
  of outcome: ShareKeyring.Outcome,
  _ settings: SharedKeyringSettings,
  _ verb: String,
  _ context: Context
) throws(EngineError) -> ExitStatus {
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
