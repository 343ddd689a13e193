import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import StrictJSON

extension VaultCommand {
  /// Deletes a vault whose passphrase is lost.
  struct Reset: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "reset",
      abstract: "Delete the vault whose passphrase is lost; the accounts stay, and sign in again."
    )

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      let resetting = ResetVault(context.engine)
      let contents = try await resetting.contents()
      let names = contents.accounts.map(\.name)
      if !yes {
        guard context.canAsk else { throw .keyring(.resetUnconfirmed(names)) }
        context.world.report("acct: the secrets of \(names.isEmpty ? "no account" : list(names)) will be deleted")
        guard context.world.terminal.asksYes("acct: delete the vault? [y/N] ") else { throw .cancelled }
      }
      try await resetting.reset(contents)
      if contents.hasMachineKey {
        context.notice("this machine's key for the shared keyring is gone, too: `acct keyring join` with --code")
      }
      if options.json {
        var json = vaultJSON("reset")
        json["accounts"] = .array(names.map { .string($0.description) })
        try context.output(json)
      } else {
        context.notice("the vault is deleted; the next `acct add` or `acct login` makes another one")
        for account in contents.accounts { context.notice("\(account.name): \(signInAgain(account))") }
      }
      return .done
    }

    /// The command by which an account gets its secrets anew.
    private func signInAgain(_ account: Account) -> String {
      account.kind == .static
        ? "`\(acctLine("login", account.name.description, "--token", "-"))`"
        : "`\(acctLine("login", account.name.description))`"
    }
  }
}
