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
      Add.self, List.self, Switch.self, Status.self, Header.self, TokenCommand.self,
      RequestCommand.self, ProxyCommand.self, ObserveCommand.self, Limits.self,
      RefreshCommand.self, Remove.self, Rename.self, Allow.self, Key.self, Export.self,
      ExecCommand.self, VaultCommand.self, DoctorCommand.self, CallbackCommand.self, Complete.self,
      Home.self,
    ],
    defaultSubcommand: Home.self
  )

  package init() {}
}
