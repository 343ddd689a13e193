package import AcctModel
import AcctProtocol
import Secrets

/// Git's credential helpers: git-credential(1), gitcredentials(7).
///
/// From 2.46 on, git can send any scheme: it announces the capability `authtype`, and gets the scheme and
/// the credential behind it. Older git knows a user name and a password.
package struct GitCredentials: HelperProtocol {
  package let task: HelperTask
  private let user: String?
  /// `true` if git can send a credential in a scheme that the server names (its capability `authtype`).
  private let knowsSchemes: Bool
  /// The schemes that the server asked for, in lower case; none where git has not said.
  private let challenged: Set<String>

  package static func exchange(for operation: [String]) -> HelperExchange {
    operation == ["capability"] ? .silent : .paragraph
  }

  package init(_ question: HelperQuestion) throws(HelperFlaw) {
    guard let operation = question.operation.first else { throw .operation(nil) }
    guard question.operation.count == 1 else { throw .arguments }
    // Other operations are not parsed: git adds operations, which a helper is to ignore whatever is written behind
    // them. `store` leaves nothing to do: a credential of another helper is not acct's, and its own acct has already.
    guard operation == "get" || operation == "erase" else {
      (user, knowsSchemes, challenged) = (nil, false, [])
      let isAsked = operation == "capability"
      task = .answered(HelperAnswer(Secret(isAsked ? "version 0\ncapability authtype\n" : "")))
      return
    }
    let input = try GitQuestion(question.input)
    let place = try input.place()
    user = if case .success(let destination) = place { destination?.user } else { nil }
    knowsSchemes = input.capabilities.contains("authtype")
    challenged = Set(input.challenges.flatMap { AuthenticationChallenge.parse($0).map(\.scheme) })
    task =
      if operation == "get" {
        Self.task(place) { .get($0) }
      } else if let given = input.given {
        Self.task(place) { .reject($0, given) }
      } else {
        // Without the credential that git got, the rejected one is not known.
        .answered(HelperAnswer())
      }
  }

  private static func task(
    _ place: Result<Destination?, ParseError>,
    _ make: (HelperTarget) -> HelperTask
  ) -> HelperTask {
    switch place {
    case .success(let destination?): make(HelperTarget(destination.url, user: destination.user))
    case .success(nil): .unusable(nil)
    case .failure(let error): .unusable(error)
    }
  }

  package func accepts(_ form: CredentialForm) -> Bool { form.isPassword }

  package func answer(_ credential: HelperCredential) throws(OutputFlaw) -> HelperAnswer {
    var lines: [Secret] = []
    func add(_ key: String, _ value: Secret) throws(OutputFlaw) {
      lines += [Secret("\(key)="), try OutputFormat.line.written(value), Secret("\n")]
    }
    if let scheme = scheme(of: credential.form) {
      try add("capability[]", Secret("authtype"))
      try add("authtype", Secret(scheme))
      try add("credential", credential.token)
      // acct has it, and renews it: no other helper is to keep it.
      try add("ephemeral", Secret("1"))
    } else if let login = credential.login(user) {
      try add("username", login.user)
      try add("password", login.password)
    } else {
      return none
    }
    if let expiresAt = credential.expiresAt { try add("password_expiry_utc", Secret("\(expiresAt.secondsSince1970)")) }
    return HelperAnswer(Secret(joining: lines))
  }

  /// The scheme to send; `nil`: a user name and a password.
  ///
  /// Servers that take a token only as a password say so, by asking for Basic alone.
  private func scheme(of form: CredentialForm) -> String? {
    guard knowsSchemes, case .scheme(let scheme) = form else { return nil }
    let asksForPassword = challenged.contains("basic") && !challenged.contains(scheme.lowercased())
    return asksForPassword ? nil : scheme
  }

  /// Nothing: git asks its next helper, or the user.
  package var none: HelperAnswer { HelperAnswer() }
}
