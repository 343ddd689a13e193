import AcctEngine
import AcctModel
import AcctProtocol

extension ErrorMessage {
  /// A server wants more of the user than the account has.
  init(_ stepUp: StepUp) {
    let (name, origin, challenge) = (stepUp.account.name, stepUp.origin, stepUp.challenge)
    let missing = challenge.scope.filter { !Scope.words(stepUp.account.scope).contains($0) }
    let need =
      switch challenge.need {
      case .scope where missing.isEmpty: "\(origin) asks for a scope that \(name) does not have"
      case .scope:
        "\(origin) asks for a scope that \(name) does not have: \(missing.joined(separator: " "))"
      case .authentication: "\(origin) asks the user of \(name) to authenticate again"
      }
    let words = challenge.description.map { " (\(printable($0)))" } ?? ""
    let hint =
      switch signInLine(stepUp) {
      case nil: "sign in again with `acct add`; the account keeps its name"
      case let line? where challenge.need == .scope && challenge.scope.isEmpty:
        "the server does not say which; with its name, run `\(line) --scope SCOPE`"
      case let line?: "to sign in for it, run `\(line)`"
      }
    self.init(
      challenge.need == .scope ? "insufficientScope" : "insufficientAuthentication",
      .signInRequired,
      need + words,
      hint: hint
    )
  }
}
