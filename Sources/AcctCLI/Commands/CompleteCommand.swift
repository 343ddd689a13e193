import AcctConsole
import AcctEngine
import AcctModel
import AcctProtocol
import ArgumentParser

/// Prints the candidates for a shell's completion, one a line.
///
/// It reads account files and providers only: a press of the Tab key neither prompts nor touches a keyring.
struct CompleteCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "complete",
    abstract: "Print candidates for a shell's completion.",
    shouldDisplay: false
  )

  enum Subject: String, ExpressibleByArgument, CaseIterable { case accounts, origins, providers }

  @Argument(help: "The names of all accounts, the origins of the selected one, or the providers.")
  var subject: Subject

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    switch subject {
    case .accounts:
      // Neither names nor their descriptions hold a tab or a line's end: they are parsed.
      try context.output(
        try AccountOverview(context.engine).listing().accounts.map { account in
          let server = account.service?.authority ?? account.origins.first?.authority
          return [account.name.description, server].compactMap(\.self).joined(separator: "\t")
        }
      )
    case .origins:
      let account = try await Selection(context.engine, asksEngine: false).choose(options.account).account
      try context.output(account.origins.places.map(\.description))
    case .providers:
      let providers = Providers(context.world)
      try context.output(
        try providers.names().compactMap { name in
          // A file that can't be read is no candidate; `acct providers` says why.
          guard let provider = (try? providers.entry(name))?.provider else { return nil }
          return [name, provider.title.map(printable)].compactMap(\.self).joined(separator: "\t")
        }
      )
    }
    return .done
  }
}
