import AcctEngine
import AcctModel
import ArgumentParser
import StrictJSON

/// Deletes every local trace of an account.
struct RemoveCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove an account and everything stored for it."
  )

  @Argument(help: "The account.")
  var name: String

  @Flag(help: "Do not tell the server.")
  var local = false

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let change = ChangeAccounts(context.engine)
    let account: Account
    do throws(EngineError) {
      account = try Selection(context.engine).find(name)
    } catch .files(.damagedAccount(let id)) {
      try await change.removeDamaged(id)
      if options.json {
        try context.output(["version": 1, "removed": .string(id.description)])
      } else {
        context.notice("removed the damaged account \(id)")
      }
      return .done
    }
    if let notice = try await change.remove(account, revoking: !local) {
      context.report([notice])
    }
    return try context.done(account, "removed \(account.name)")
  }
}
