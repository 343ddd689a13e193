import AcctEngine
import AcctModel
import AcctProtocol
import Release

extension StepUp {
  /// The scopes that the request needs and `--scope` leaves out, and both together, where the account has them all.
  fileprivate var leftOut: (more: String, all: String)? {
    guard challenge.need == .scope, let requested = purpose?.scope, !requested.isEmpty else { return nil }
    // A token for one of several resources has its words of what the sign-in asked for.
    let granted = Scope.words(account.scope) + (isSecondToken ? Scope.words(account.signIn?.scope) : [])
    let more = challenge.scope.filter { !requested.contains($0) }
    guard !more.isEmpty, more.allSatisfy(granted.contains) else { return nil }
    let each = more.reduce(into: requested) { if !$0.contains($1) { $0.append($1) } }
    return (more.joined(separator: " "), each.joined(separator: " "))
  }
}

extension StepUp {
  /// The words of the challenge that the request's token does not have.
  fileprivate var missing: [String] { challenge.scope.filter { !Scope.words(granted).contains($0) } }

  /// What leads on where the sign-in has asked for all that is missing: the same sign-in again does not.
  fileprivate var hintAfterDenial: String? {
    let asked = Scope.words(account.signIn?.scope)
    guard challenge.need == .scope, !missing.isEmpty, missing.allSatisfy(asked.contains) else { return nil }
    guard !isSecondToken || purpose?.scope.isEmpty == false else {
      return "the sign-in asked for it: run it with --scope \(shellWord(challenge.scope.joined(separator: " ")))"
    }
    return "the sign-in asked for it, and the server did not grant it: after the server allows it to your user, "
      + loginHint(account.name)
  }
}

extension ErrorMessage {
  /// A server wants more of the user than the account has.
  init(_ stepUp: StepUp) {
    let (name, origin, challenge) = (stepUp.account.name, stepUp.origin, stepUp.challenge)
    let missing = stepUp.missing
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
    let isUnnamed = challenge.need == .scope && challenge.scope.isEmpty && stepUp.account.source?.backend == nil
    let hint =
      stepUp.hintAfterDenial
      ?? (isUnnamed
        ? "the server does not say which: `\(loginLine(name))` signs in again, and --scope asks for another"
        : "to sign in for it, run `\(signInLine(stepUp))`")
    self.init(
      challenge.need == .scope ? "insufficientScope" : "insufficientAuthentication",
      .signInRequired,
      need + words,
      hint: hint
    )
  }
}
