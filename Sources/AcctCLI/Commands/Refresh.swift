import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser

/// Renews what is due.
struct RefreshCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh",
    abstract: "Renew what is due."
  )

  @Argument(help: "The account; the chosen one if left out.")
  var name: String?

  @Flag(help: "Every account.")
  var all = false

  @Flag(help: "Renew whatever is there, due or not.")
  var force = false

  @OptionGroup var options: SharedOptions

  func validate() throws {
    guard !all || name == nil && options.account == nil else {
      throw ValidationError("--all means every account: name none")
    }
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let refresh = Refresh(
      context.world,
      context.interaction,
      timeout: options.timeout,
      tell: context.waiting
    )
    guard all else {
      let account = try context.choose(name).account
      switch await refresh(account, force: force) {
      case .failed(let error): throw error
      case .cannotRenew: throw .notRenewable(account: account.name)
      case .renewed: return try context.done(account.id, "renewed \(account.name)")
      case .notDue: return try context.done(account.id, "\(account.name) is not due")
      }
    }
    return try await everyAccount(refresh, context)
  }

  /// Renews one after the other; one that fails keeps nobody from the next.
  private func everyAccount(
    _ refresh: Refresh,
    _ context: Context
  ) async throws(EngineError) -> ExitStatus {
    var status = ExitStatus.done
    for account in try Overview(context.world).listing().accounts {
      switch await refresh(account, force: force) {
      case .renewed: context.notice("renewed \(account.name)")
      case .notDue, .cannotRenew: break
      case .failed(let error):
        let complaint = Complaint(error)
        context.world.say("acct: \(account.name): \(complaint.message)")
        // The first failure decides, so that a timer can tell a network from a sign-in.
        if status == .done { status = complaint.status }
      }
    }
    return status
  }
}
