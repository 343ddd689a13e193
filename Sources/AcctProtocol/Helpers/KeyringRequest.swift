import AcctModel

/// The command `keyring`, which pip, uv and other programs run.
///
/// A token is a password to it, as many package servers take one. What others store is ignored.
package struct KeyringRequest: HelperProtocol {
  package let task: HelperTask
  private let words: KeyringWords

  /// The programs ask for each server that wants a password.
  package static let asksForAnyServer = true

  /// User and server are parts of a URL, which a project may have written.
  package static func foreignOption(in words: ArraySlice<String>) -> String? { KeyringWords.foreignOption(in: words) }

  package static func exchange(for operation: [String]) -> HelperExchange { .silent }

  package init(_ question: HelperQuestion) throws(HelperFlaw) {
    words = try KeyringWords(question.operation)
    switch words.operation {
    // After a URL, pip and uv ask for its host alone, also where the URL was refused as one of plain http:
    // an answer would go there.
    case .get: task = .get(at: words.service, user: words.user)
    case .set: task = .answered(HelperAnswer())
    case .del: task = .answered(HelperAnswer(isSuccess: false))
    }
  }

  package func accepts(_ form: CredentialForm) -> Bool { form.isPassword }

  package func answer(_ credential: HelperCredential) -> HelperAnswer {
    guard let user = credential.form.passwordUser(words.user, at: credential.url?.origin) else { return none }
    let password = credential.token.secret
    let parts: [Secret] =
      switch (words.mode, words.output) {
      case (.password, .plain): [password]
      case (.creds, .plain): [Secret(user), Secret("\n"), password]
      case (.password, .json): [Secret(#"{"password": "#), password.asJSON, Secret("}")]
      case (.creds, .json):
        [Secret(#"{"username": "#), Secret(user).asJSON, Secret(#", "password": "#), password.asJSON, Secret("}")]
      }
    return HelperAnswer(Secret(joining: parts + [Secret("\n")]))
  }

  package var none: HelperAnswer { HelperAnswer(isSuccess: false) }
}
