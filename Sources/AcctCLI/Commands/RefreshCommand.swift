import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import StrictJSON

/// Renews the tokens that are due.
struct RefreshCommand: AcctCommand {
  static let configuration = CommandConfiguration(commandName: "refresh", abstract: "Renew credentials that are due.")

  @Argument(help: "The account; the selected one by default.")
  var name: String?

  @Flag(help: "Every account.")
  var all = false

  @Flag(help: "Renew even if it is not due, or its session has ended.")
  var force = false

  @OptionGroup var options: SharedOptions

  func validate() throws {
    guard !all || name == nil && options.account == nil else {
      throw ValidationError("--all means every account: give no name")
    }
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let refresher = Refresh(context.engine)
    guard all else {
      let account = try await context.choose(name).account
      switch await refresher.refresh(account, force: force) {
      case .failed(let error): throw error
      case .cannotRenew: throw account.notRenewable
      case .renewed(let notices):
        context.report(notices)
        return try await context.done(account.id, "renewed \(account.name)")
      case .notDue: return try await context.done(account.id, "\(account.name) is not due")
      }
    }
    return try await context.renewEveryAccount(force: force)
  }
}
