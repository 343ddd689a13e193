import AcctEngine
import AcctModel
import ArgumentParser

/// Adds an account, or renews the credentials of one that is there.
struct Add: AcctCommand {
  static let configuration = CommandConfiguration(
    abstract: "Add an account.",
    discussion: """
      An identity that is already there keeps its id and name, and gets the new credentials.
      """
  )

  @Option(
    name: .customLong("import"),
    help: ArgumentHelp("Take over credentials in a JSON file; - is stdin.", valueName: "file")
  )
  var importFile: String

  @Option(help: "What to call the account.")
  var name: String?

  @Flag(help: "Do not make it the active account.")
  var noSwitch = false

  @Option(
    help: ArgumentHelp("One more origin that its headers may go to.", valueName: "origin")
  )
  var allowOrigin: [String] = []

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let name = try name.map { text throws(EngineError) in try parseName(text) }
    let origins = try allowOrigin.map { text throws(EngineError) in try parseOrigin(text) }
    let credentials = try ImportFile(context.world).read(importFile)
    let added = try await AddAccount(context.world, context.interaction)(
      credentials,
      .init(name: name, activates: !noSwitch, allowedOrigins: origins)
    )
    let account = added.account
    if account.origins.isEmpty {
      context.notice("no origin is known for \(account.name): `acct allow \(account.name) ORIGIN`")
    }
    return try context.done(account, "\(added.wasKnown ? "renewed" : "added") \(account.name)")
  }
}

/// An origin that the user typed.
func parseOrigin(_ text: String) throws(EngineError) -> Origin {
  do { return try Origin(text) } catch { throw .malformed(error) }
}
