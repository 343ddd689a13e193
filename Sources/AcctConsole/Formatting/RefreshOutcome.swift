package import AcctEngine
import AcctModel
import AcctPorts
package import StrictJSON

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

  /// The steps that it takes a person.
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

extension Context {
  /// Renews every account of a shared keyring from which a machine was removed.
  ///
  /// - Parameter members: The result of the removal, which comes into the same object of JSON.
  /// - Returns: The status: ``ExitStatus/signInRequired`` if only a person can take from the machine what it has.
  /// - Throws: ``EngineError`` if the accounts can't be listed.
  package func renewEveryAccount(
    afterRemoval members: KeyValuePairs<String, JSON>
  ) async throws(EngineError) -> ExitStatus {
    try await renewEveryAccount(force: true, members: members, followsRemoval: true)
  }

  /// Renews one account after the other; a failure does not stop the next one.
  package func renewEveryAccount(
    force: Bool,
    members: KeyValuePairs<String, JSON> = [:],
    followsRemoval: Bool = false
  ) async throws(EngineError) -> ExitStatus {
    var outcomes: [RefreshOutcome] = []
    let refresher = Refresh(engine)
    let overview = AccountOverview(engine)
    if let notice = await overview.bringUpToDate() { report([notice]) }
    // Guests, and accounts of this machine's own keyring, were never on another one.
    let accounts = try everyAccount()
      .filter { !followsRemoval || $0.keptIn == nil && $0.kind != .guest }
    for account in accounts {
      let result = await refresher.refresh(account, force: force)
      let outcome = RefreshOutcome(account, result, followsRemoval: followsRemoval, world.clock)
      outcomes.append(outcome)
      if case .renewed(let notices) = outcome.result {
        for found in notices { notice("\(account.name): \(words(for: found))") }
      }
      guard !options.json else { continue }
      if case .renewed = outcome.result { notice("renewed \(account.name)") }
      if let errorMessage = outcome.errorMessage { world.report("acct: \(account.name): \(errorMessage.text)") }
    }
    let waiting = outcomes.filter(\.needsPerson)
    if options.json {
      var object = envelope(members)
      object["accounts"] = .array(outcomes.map(\.json))
      try output(object)
    } else {
      // Last, where a timer's journal is read from; beside a failure they are printed even with `--quiet`.
      let isLoud = followsRemoval || waiting.contains { $0.errorMessage != nil }
      for outcome in waiting {
        if isLoud { world.report("acct: \(outcome.advice)") } else { notice(outcome.advice) }
      }
    }
    // The first failure decides, so that a timer can tell a network from a sign-in.
    if let failure = outcomes.lazy.compactMap(\.errorMessage).first { return failure.status }
    return followsRemoval && !waiting.isEmpty ? .signInRequired : .done
  }
}
