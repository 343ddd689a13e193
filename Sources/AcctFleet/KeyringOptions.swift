import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import FleetPorts

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
