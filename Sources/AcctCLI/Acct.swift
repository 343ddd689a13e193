package import ArgumentParser

/// The root command.
package struct Acct: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "acct",
    abstract: "Keep the accounts you are signed in to, and the right auth header for any script.",
    discussion: """
      Tokens and keys stay in the keyring. A script gets the header lines for one request:

        acct header URL | curl -H @- URL
      """,
    version: "acct \(version)",
    subcommands: [
      AddCommand.self, ListCommand.self, SwitchCommand.self, StatusCommand.self, HeaderCommand.self, TokenCommand.self,
      RequestCommand.self, ProxyCommand.self, ObserveCommand.self, LimitsCommand.self, RefreshCommand.self,
      RemoveCommand.self, RenameCommand.self, AllowCommand.self, KeyCommand.self, ExportCommand.self, ExecCommand.self,
      HelperCommand.self, ProvidersCommand.self, VaultCommand.self, KeyringCommand.self, DoctorCommand.self,
      CallbackCommand.self, CompleteCommand.self, HomeCommand.self,
    ],
    defaultSubcommand: HomeCommand.self
  )

  package init() {}
}
