import AcctConsole
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
      let settings = try keyring.settings(in: context.world)
      return try tell(of: try await ShareKeyring(context.engine).begin(settings, .create), settings, "made", context)
    }
  }

  /// Joins a shared keyring.
  struct Join: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "join",
      abstract: "Join a keyring that another machine has made.",
      discussion: """
        With its passphrase or key file. Without them a code is printed, and acct waits until another machine lets \
        this one in: acct keyring approve CODE.
        """
    )

    @OptionGroup var keyring: KeyringOptions

    @Flag(help: "Join by a code, with a key of this machine's own, even with a passphrase or key file.")
    var code = false

    @OptionGroup var place: MachineKeyOption

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      let settings = try keyring.settings(in: context.world)
      let (world, share) = (context.world, ShareKeyring(context.engine))
      // Printed in spite of `--quiet`: without it nothing goes on.
      let announce = { @Sendable (code: String) in
        world.report("acct: on another machine, within 10 minutes: acct keyring approve \(code)")
      }
      let outcome =
        if code || place.machineKey != nil {
          try await share.request(settings, keyIn: place.tpm(world.environment), announce)
        } else {
          try await share.join(settings, offer: { Self.offer(context) }, announce)
        }
      return try tell(of: outcome, settings, "joined", context)
    }

    private static func offer(_ context: Context) {
      context.notice("without the passphrase, just press Enter: a code lets another machine approve this one")
    }
  }
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
