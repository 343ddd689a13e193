import AcctConsole
import AcctEngine
import AcctModel
import AcctProtocol
import Release
package import Secrets
import Text

/// A resource server accepts the token, and wants more of its user: a scope (RFC 6750, section 3.1), or another
/// authentication (RFC 9470, section 3).
///
/// No renewal helps: only the user can grant the missing authorization.
package struct StepUpChallenge: Sendable {
  /// The missing authorization.
  package enum Need: String, Sendable, CaseIterable {
    case scope = "insufficient_scope"
    case authentication = "insufficient_user_authentication"
  }

  package let need: Need
  /// The scope that the request needs, as far as its words are well-formed.
  package private(set) var scope: [String] = []
  /// The classes of authentication that the server accepts, the preferred one first.
  package private(set) var acrValues: [String] = []
  /// The greatest age of the user's authentication that the server accepts, in seconds.
  package private(set) var maxAge: Int64?
  /// The server's own words.
  package private(set) var description: String?

  /// Reads an answer; `nil` for any but such a challenge.
  ///
  /// - Parameters:
  ///   - status: The answer's. The RFCs name 403 for a scope and 401 for an authentication; either is accepted
  ///     with both.
  ///   - fields: Its fields.
  ///   - redactor: Takes secrets out of the server's words. A word that has one is left out.
  package init?(status: Int, fields: [(name: String, value: String)], redacting redactor: Redactor) {
    guard status == 401 || status == 403 else { return nil }
    let challenge = fields.values(of: "www-authenticate")
      .flatMap(AuthenticationChallenge.parse)
      .first { $0.parameters["error"].flatMap(Need.init) != nil }
    guard let parameters = challenge?.parameters, let need = parameters["error"].flatMap(Need.init) else { return nil }
    func words(_ name: String) -> [String] {
      (parameters[name] ?? "").split(separator: " ").map(String.init)
        .filter { Scope.isWellFormed($0) && redactor.redact($0) == $0 }
    }
    self.need = need
    scope = words("scope")
    acrValues = words("acr_values")
    // As the server wrote it, with nothing but digits.
    maxAge = parameters["max_age"].flatMap { text in
      text.utf8.count <= 12 && text.utf8.allSatisfy(\.isASCIIDigit)
        ? Int64(text) : nil
    }
    description = parameters["error_description"].map { redactor.redact(String($0.prefix(200))) }
  }
}

/// A response that requires a new sign-in with more than the account has.
package struct StepUp: Sendable {
  /// The account at the time of the request.
  var account: Account
  /// The origin of the response.
  var origin: Origin
  var challenge: StepUpChallenge
  /// The purpose that the user requested.
  var purpose: TokenPurpose?
  /// `true` if the request had a second token of the account, which it gets by itself for one of several resources.
  var isSecondToken = false
  /// The scope that the request's token has; `nil` where the server did not say.
  var granted: String?

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

  /// The words of the challenge that the request's token does not have.
  fileprivate var missing: [String] { challenge.scope.filter { !Scope.words(granted).contains($0) } }

  /// The hint where the sign-in has asked for all that is missing: the same sign-in again would not help.
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
      self = .code("insufficientScope", .signInRequired)
        .saying("\(origin) asks for a scope that --scope leaves out: \(leftOut.more)")
        .hint("run it without --scope, or with --scope \(shellWord(leftOut.all))")
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
    self = .code(challenge.need == .scope ? "insufficientScope" : "insufficientAuthentication", .signInRequired)
      .saying(need + words)
      .hint(hint)
  }
}

/// The command line that signs in to an account again, with the additional scope or authentication of a challenge.
///
/// It is to be copied into a shell, so each word is quoted where a shell would read more into it.
private func signInLine(_ stepUp: StepUp) -> String {
  let (account, challenge) = (stepUp.account, stepUp.challenge)
  var words: [String] = []
  if account.source?.backend == nil {
    if let scope = scope(of: account, adding: challenge.scope),
      challenge.need == .authentication || !challenge.scope.isEmpty
    {
      words += ["--scope", scope]
    }
    if !challenge.acrValues.isEmpty {
      words += ["--param", "acr_values=\(challenge.acrValues.joined(separator: " "))"]
    }
    if let maxAge = challenge.maxAge { words += ["--param", "max_age=\(maxAge)"] }
  }
  return loginLine(account.name, words)
}
