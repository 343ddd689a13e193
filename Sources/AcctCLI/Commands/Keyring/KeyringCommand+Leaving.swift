import AcctEngine
import ArgumentParser
import StrictJSON

extension KeyringCommand {
  /// Leaves a shared keyring.
  struct Leave: AcctCommand {
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
      let count = try await ShareKeyring(context.engine).leave()
      if options.json {
        try context.output([
          "version": 1, "left": true, "accounts": .number(JSONNumber(Int64(count))),
        ])
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
  struct Trust: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "trust",
      abstract: "Accept a shared keyring that was restored from a backup.",
      discussion:
        "Tokens that were renewed after the backup are lost; those accounts sign in again."
    )

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      try await ShareKeyring(context.engine).trust()
      if options.json {
        try context.output(["version": 1, "trusted": true])
      } else {
        context.notice("the shared keyring is trusted as it is now")
      }
      return .done
    }
  }
}
