import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import FleetPorts
import StrictJSON

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

/// The address of a shared keyring, and the credentials of this machine there.
struct KeyringOptions: ParsableArguments {
  // Not an enumeration: the parser would repeat an unknown word, and that may be a password.
  @Argument(help: "The engine: etcd or postgres.")
  var engine: String

  @Argument(
    help: ArgumentHelp(
      "Its members (https://HOST:PORT,...), or a connection string without a password.",
      valueName: "address"
    )
  )
  var address: [String]

  @Option(help: ArgumentHelp("The keyring's name there.", valueName: "name"))
  var name = "main"

  @Option(help: ArgumentHelp("This machine's certificate (etcd).", valueName: "file"))
  var cert: String?

  @Option(help: ArgumentHelp("The key of that certificate (etcd).", valueName: "file"))
  var key: String?

  @Option(help: ArgumentHelp("The authority that issued the engine's certificates.", valueName: "file"))
  var ca: String?

  @Option(help: ArgumentHelp("The user of etcd.", valueName: "name"))
  var user: String?

  @Option(help: ArgumentHelp("Your own file with the user's or the role's password.", valueName: "file"))
  var passwordFile: String?

  func validate() throws {
    guard ["etcd", "postgres"].contains(engine) else { throw ValidationError("the engine is etcd or postgres") }
    guard engine == "etcd" || [cert, key, user].allSatisfy({ $0 == nil }) else {
      throw ValidationError(
        "--cert, --key and --user are for etcd; a connection string has sslcert, sslkey and user"
      )
    }
    guard (cert == nil) == (key == nil) else { throw ValidationError("--cert and --key need each other") }
    guard engine == "postgres" || (user == nil) == (passwordFile == nil) else {
      throw ValidationError("--user and --password-file need each other")
    }
  }

  /// The options, checked; the files exist, and none is read yet.
  ///
  /// - Throws: ``EngineError``, which repeats none of the user's words.
  func settings(in context: EngineContext) throws(EngineError) -> SharedKeyringSettings {
    guard let kind = Keyring.Kind(rawValue: engine), kind.isShared else {
      // Unreachable after `validate()`; the word may be a password, and is not repeated.
      throw .keyring(.failed(.notJoined, .etcd))
    }
    do throws(KeyringSettingsFlaw) { try SharedKeyringName.check(name) } catch {
      throw .keyring(.failed(.settings(error), kind))
    }
    let passwordFile = try file(passwordFile, "--password-file", context)
    switch kind {
    case .postgres:
      let authority = try file(ca, "--ca", context)
      let connection: String
      // The shell makes several words of one that is not in quotes.
      do {
        connection = try PostgresConnection.check(address.joined(separator: " "), trusting: authority)
      } catch {
        throw .keyring(.failed(.settings(error), kind))
      }
      return SharedKeyringSettings(
        engine: .postgres(.init(connection: connection, passwordFile: passwordFile)),
        name: name
      )
    case .etcd, .vault, .secretService, .memory:
      let endpoints: [String]
      do { endpoints = try EtcdEndpoints.parse(address.joined(separator: ",")) } catch {
        throw .keyring(.failed(.settings(error), kind))
      }
      let etcd = SharedKeyringSettings.Etcd(
        endpoints: endpoints,
        certificate: try file(cert, "--cert", context),
        key: try file(key, "--key", context),
        authority: try file(ca, "--ca", context),
        user: user,
        passwordFile: passwordFile
      )
      return SharedKeyringSettings(engine: .etcd(etcd), name: name)
    }
  }

  /// The path of a file as it means the same everywhere.
  private func file(_ path: String?, _ option: String, _ context: EngineContext) throws(EngineError) -> String? {
    guard let path else { return nil }
    guard context.world.secretFiles.exists(path) else { throw .sharing(.noFile(option: option)) }
    return try InputPaths(context).absolute(path, option)
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
