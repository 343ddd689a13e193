import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import StrictJSON

/// The result for one of the accounts that `refresh --all` or `keyring remove --renew` renews.
struct RefreshOutcome {
  let account: Account
  let result: Refresh.Result
  /// `true` if a machine was removed that has had the credentials.
  let followsRemoval: Bool
  private let clock: Clock

  init(_ account: Account, _ result: Refresh.Result, followsRemoval: Bool, _ clock: Clock) {
    self.account = account
    self.result = result
    self.followsRemoval = followsRemoval
    self.clock = clock
  }

  /// Why it failed, if it did.
  var errorMessage: ErrorMessage? {
    guard case .failed(let error) = result else { return nil }
    return ErrorMessage(error).timed(by: clock).naming(account.name)
  }

  /// `true` if only a person can help it.
  var needsPerson: Bool {
    if followsRemoval, account.outlivesRenewal { return true }
    return switch result {
    case .renewed, .notDue: false
    // There is nothing to renew in a static token, even with --force, before its end.
    case .cannotRenew: account.kind != .static || account.lastKnownState(at: clock.now()).state != .valid
    case .failed: errorMessage?.status == .signInRequired
    }
  }

  /// What a person has to do for it.
  var advice: String {
    // Nothing can be signed in to for a static token.
    if let replacement = account.replacement {
      return "\(replacement.account) needs a new token: `\(loginLine(replacement.account))`"
    }
    guard followsRemoval, account.outlivesRenewal else { return loginHint(account.name) }
    return "\(account.name) needs a new client secret or key from its server: `\(loginLine(account.name))`"
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
      "needsPerson": .bool(needsPerson),
    ]
  }
}
