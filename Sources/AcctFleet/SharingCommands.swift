import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
package import ArgumentParser
import FleetPorts
import StrictJSON

extension Fleet {
  /// The commands of `acct keyring` that make a shared keyring, change it, or move accounts to it and from it.
  package static let commands: [any ParsableCommand.Type] = [
    CreateCommand.self, JoinCommand.self, ApproveCommand.self, MachinesCommand.self, RemoveMachineCommand.self,
    RekeyCommand.self, MoveCommand.self, LeaveCommand.self, TrustCommand.self,
  ]
}

/// Makes a shared keyring.
struct CreateCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Make a keyring on etcd or PostgreSQL that other machines can join.",
    discussion: "One of that name is joined, if the passphrase opens it."
  )

  @OptionGroup var keyring: KeyringOptions

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let settings = try keyring.settings(in: context.engine)
    return try tell(of: try await ShareKeyring(context.engine).begin(settings, .create), settings, "made", context)
  }
}

/// Joins a shared keyring.
struct JoinCommand: AcctCommand {
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
    let settings = try keyring.settings(in: context.engine)
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

/// Moves all accounts to another keyring.
struct MoveCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Move all accounts to another keyring: all of them, or none.",
    discussion: """
      It can be made again after an interruption. From a shared keyring accounts are copied: other \
      machines use it. The same move with --remove removes them there later.
      """
  )

  @Argument(help: "Where to: etcd or postgres, once joined; vault; secret-service.")
  var keyring: String

  @Flag(help: "Remove them from the shared keyring, for all machines.")
  var remove = false

  @OptionGroup var options: SharedOptions

  func validate() throws {
    guard let kind = Keyring.Kind(rawValue: keyring), kind != .memory else {
      throw ValidationError("move to etcd, postgres, vault or secret-service")
    }
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    guard let kind = Keyring.Kind(rawValue: keyring) else { throw .keyring(.unknown(keyring)) }
    let outcome = try await MoveKeyring(context.engine).move(to: kind, removingShared: remove)
    if options.json {
      try context.output(
        envelope([
          "from": .init(outcome.source?.rawValue),
          "to": .string(kind.rawValue),
          "moved": .array(outcome.moved.map { .string($0.description) }),
          "removed": .array(outcome.removed.map { .string($0.description) }),
          "staying": .array(outcome.staying.map { .string($0.description) }),
        ])
      )
      return .done
    }
    guard let source = outcome.source else {
      context.notice("the accounts are in \(kind.rawValue)")
      return .done
    }
    let isCopy = source.isShared && !remove
    if outcome.removed.isEmpty, outcome.moved.isEmpty, remove, source.isShared {
      if outcome.staying.isEmpty { context.notice("none of these accounts is in \(source.rawValue)") }
    } else if !outcome.removed.isEmpty {
      context.notice("removed \(words(forAccounts: outcome.removed.count)) from \(source.rawValue), for all machines")
    } else {
      context.notice(
        "\(isCopy ? "copied" : "moved") \(words(forAccounts: outcome.moved.count)) "
          + "from \(source.rawValue) to \(kind.rawValue)"
      )
    }
    if !outcome.staying.isEmpty { warn(of: outcome.staying, in: source, context) }
    return .done
  }

  private func warn(of names: [AccountName], in source: Keyring.Kind, _ context: Context) {
    let names = names.map(\.description).joined(separator: ", ")
    guard !remove else {
      context.notice("the credentials of \(names) in \(source.rawValue) are not those in \(keyring), and stay there")
      context.notice(
        "hint: other machines may use them; `acct remove --local NAME` on one of these removes them, for all "
          + "machines"
      )
      return
    }
    context.notice(
      "the refresh token of \(names) is also on \(source.rawValue) still: a server that rotates it ends "
        + "the session when both are used"
    )
    context.notice(
      "hint: use them in one place; `acct keyring move \(keyring) --remove` removes them from "
        + "\(source.rawValue), for all machines"
    )
  }
}

/// The place in which a machine's own key for a shared keyring is made.
///
/// It is not called `--key`, which is the file of the certificate's key for etcd.
struct MachineKeyOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("Join by a code, with a key that is made there: software, tpm or tpm:SPEC.", valueName: "place")
  )
  var machineKey: String?

  func validate() throws {
    guard let machineKey else { return }
    guard machineKey == "software" || machineKey == "tpm" || machineKey.hasPrefix("tpm:") else {
      throw ValidationError("--machine-key is software, tpm or tpm:SPEC")
    }
  }

  /// The TPM that is chosen.
  ///
  /// - Parameter environment: Names the TPM where the option does not.
  /// - Returns: The TPM; `nil` for the machine's own keyring.
  /// - Throws: ``InputError/malformed(_:)``.
  func tpm(_ environment: ProcessEnvironment) throws(EngineError) -> TPMAddress? {
    guard let machineKey, machineKey != "software" else { return nil }
    return try environment.tpmAddress(machineKey == "tpm" ? nil : String(machineKey.dropFirst(4)))
  }
}
