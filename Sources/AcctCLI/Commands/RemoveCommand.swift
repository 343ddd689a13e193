import AcctConsole
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
      account = try await Selection(context.engine).find(name)
    } catch .files(.skipped(let skipped)) where skipped.flaw == .damaged && (try? AccountID(name)) == skipped.id {
      let id = skipped.id
      context.report([try await change.removeDamaged(id)].compactMap(\.self))
      return try done(id, "removed the damaged account \(id)", context)
    } catch {
      // One that does not open has no file here, and is known by its identifier alone.
      guard let id = try? AccountID(name), try await change.removeUnopened(id) else { throw error }
      return try done(id, "removed \(id), for all machines", context)
    }
    let reach = try context.engine.isShared(account) ? ", for all machines" : ""
    context.report(try await change.remove(account, revoking: !local))
    return try context.done(account, "removed \(account.name)\(reach)")
  }

  private func done(_ id: AccountID, _ text: String, _ context: Context) throws(EngineError) -> ExitStatus {
    if options.json {
      try context.output(envelope(["removed": .string(id.description)]))
    } else {
      context.notice(text)
    }
    return .done
  }
}
