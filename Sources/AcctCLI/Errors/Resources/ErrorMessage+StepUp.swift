import AcctEngine
import AcctModel
import AcctProtocol

extension StepUp {
  /// The scopes that the request needs and `--scope` leaves out, and both together, where the account has them all.
  fileprivate var leftOut: (more: String, all: String)? {
    guard challenge.need == .scope, let requested = purpose?.scope, !requested.isEmpty else { return nil }
    let granted = Scope.words(account.scope)
    let more = challenge.scope.filter { !requested.contains($0) }
    guard !more.isEmpty, more.allSatisfy(granted.contains) else { return nil }
    let each = more.reduce(into: requested) { if !$0.contains($1) { $0.append($1) } }
    return (more.joined(separator: " "), each.joined(separator: " "))
  }
}

extension ErrorMessage {
  /// A server wants more of the user than the account has.
  init(_ stepUp: StepUp) {
    let (name, origin, challenge) = (stepUp.account.name, stepUp.origin, stepUp.challenge)
    let missing = challenge.scope.filter { !Scope.words(stepUp.account.scope).contains($0) }
    if let leftOut = stepUp.leftOut {
      self.init(
        "insufficientScope",
        .signInRequired,
        "\(origin) asks for a scope that --scope leaves out: \(leftOut.more)",
        hint: "run it without --scope, or with --scope \(shellWord(leftOut.all))"
      )
      return
    }
    let need =
      switch challenge.need {
      case .scope where missing.isEmpty: "\(origin) asks for a scope that \(name) does not have"
      case .scope: "\(origin) asks for a scope that \(name) does not have: \(missing.joined(separator: " "))"
      case .authentication: "\(origin) asks the user of \(name) to authenticate again"
      }
    let words = challenge.description.map { " (\(printable($0)))" } ?? ""
    let hint =
      challenge.need == .scope && challenge.scope.isEmpty && stepUp.account.source?.backend == nil
      ? "the server does not say which: `\(loginLine(name))` signs in again, and --scope asks for another"
      : "to sign in for it, run `\(signInLine(stepUp))`"
    self.init(
      challenge.need == .scope ? "insufficientScope" : "insufficientAuthentication",
      .signInRequired,
      need + words,
      hint: hint
    )
  }
}
