import AcctEngine
import AcctModel
import AcctPorts
import StrictJSON

/// The result for one of the accounts that `refresh --all` renews.
struct RefreshOutcome {
  let account: Account
  let result: Refresh.Result
  private let clock: Clock

  init(_ account: Account, _ result: Refresh.Result, _ clock: Clock) {
    self.account = account
    self.result = result
    self.clock = clock
  }

  /// Why it failed, if it did.
  var errorMessage: ErrorMessage? {
    guard case .failed(let error) = result else { return nil }
    return ErrorMessage(error).timed(by: clock).naming(account.name)
  }

  /// `true` if only a person can help it.
  var needsPerson: Bool {
    switch result {
    case .renewed, .notDue: false
    // There is nothing to renew in a static token, even with --force, before its end.
    case .cannotRenew: account.kind != .static || account.lastKnownState(at: clock.now()).state != .valid
    case .failed: errorMessage?.status == .signInRequired
    }
  }

  /// An element of `accounts` in the output of `refresh --all --json`.
  var json: JSON {
    let name =
      switch result {
      case .renewed: "renewed"
      case .notDue: "notDue"
      case .cannotRenew: "cannotRenew"
      case .failed: "failed"
      }
    return [
      "account": .string(account.id.description),
      "name": .string(account.name.description),
      "result": .string(name),
      "error": errorMessage?.errorObject ?? .null,
    ]
  }
}
