import AcctEngine
import AcctModel
import ArgumentParser

/// Adds an origin that an account's headers may go to, or removes one.
struct AllowCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow",
    abstract: "Allow an account's headers to be sent to one more origin."
  )

  @Argument(help: "The account.")
  var name: String

  @Argument(help: "The origin, as in https://api.example.com.")
  var origin: String

  @Flag(help: "Revoke the permission.")
  var revoke = false

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let origin = try parseOrigin(origin)
    let account = try await Selection(context.engine).find(name)
    let change = ChangeAccounts(context.engine)
    if revoke {
      let changed = try await change.revoke(origin, from: account)
      return try context.done(changed, "headers of \(account.name) no longer go to \(origin)")
    }
    let changed = try await change.allow(origin, for: account)
    return try context.done(changed, "headers of \(account.name) may go to \(origin)")
  }
}
