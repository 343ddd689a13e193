import AcctConsole
import AcctEngine
import AcctModel
import ArgumentParser

/// Adds an origin that an account's headers may go to, or a place there by which it is chosen, or removes one.
struct AllowCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow",
    abstract: "Allow an account's headers to be sent to one more origin, or choose it below a path."
  )

  @Argument(help: "The account.")
  var name: String

  @Argument(help: "The origin, as in https://api.example.com; a path makes the account the choice below it.")
  var origin: String

  @Flag(help: "Revoke the permission.")
  var revoke = false

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let place = try parsePlace(origin)
    let account = try await Selection(context.engine).find(name)
    let change = ChangeAccounts(context.engine)
    if revoke {
      let changed = try await change.revoke(place, from: account)
      let others = account.origins.places.filter { $0.origin == place.origin && $0 != place }
      let isOpen = changed.origins.contains(place.origin)
      return try context.done(
        changed,
        isOpen
          ? "\(account.name) is no longer the choice for \(place); its headers may still go to \(place.origin)"
          : "headers of \(account.name) no longer go to \(place.origin)"
            + (others.isEmpty ? "" : ", with its places \(others.map(\.description).joined(separator: ", "))")
      )
    }
    let changed = try await change.allow(place, for: account)
    let choice = place.path.isEmpty ? "" : ", and it is the choice for \(place)"
    return try context.done(changed, "headers of \(account.name) may go to \(place.origin)\(choice)")
  }
}
