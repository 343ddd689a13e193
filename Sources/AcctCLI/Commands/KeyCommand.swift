import AcctConsole
import AcctDevices
import AcctModel
import AcctEngine
import AcctPrograms
import Secrets
import AcctProtocol
import ArgumentParser
import StrictJSON

/// The DPoP key of an account.
struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Show, list or restore the DPoP keys of accounts.",
    subcommands: [Show.self, Thumbprint.self, Import.self, KeyListCommand.self]
  )

  /// Prints the key as a JWK.
  struct Show: AcctCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Print the public key as a JWK.")

    @Argument(help: "The account; the selected one by default.")
    var name: String?

    @Flag(help: "Print the private key.")
    var `private` = false

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      let account = try await context.choose(name).account
      let accountKey = AccountKey(context.engine)
      let jwk =
        `private`
        ? try await accountKey.privateJWK(of: account)
        : Secret(try await accountKey.key(of: account).publicJWK.serialized())
      try context.output(Secret(joining: [jwk, Secret("\n")]))
      return .done
    }
  }

  /// Prints the key's thumbprint.
  struct Thumbprint: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "thumbprint",
      abstract: "Print the key's RFC 7638 thumbprint."
    )

    @Argument(help: "The account; the selected one by default.")
    var name: String?

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      let account = try await context.choose(name).account
      let key = try await AccountKey(context.engine).key(of: account)
      if options.json {
        try context.output(
          envelope([
            "account": .string(account.id.description),
            "thumbprint": .string(key.thumbprint),
          ])
        )
      } else {
        try context.output([key.thumbprint])
      }
      return .done
    }
  }

  /// Puts a key back.
  struct Import: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "import",
      abstract: "Store a private JWK, if it is the key of the account's tokens."
    )

    @Argument(help: "The account; the selected one by default.")
    var name: String?

    @Option(help: ArgumentHelp("Where the JWK is read from; - is stdin.", valueName: "file"))
    var file = "-"

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      let account = try await context.choose(name).account
      let jwk = try ImportFile(context.world, knowing: OtherProgram.failure).json(file)
      let key = try await AccountKey(context.engine).replace(with: jwk, for: account)
      return try context.done(account, "the key of \(account.name) is \(key.thumbprint)")
    }
  }
}
