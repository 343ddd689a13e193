package import AcctEngine
import AcctModel
import AcctProtocol
import Release

/// A decision in one line of `--verbose`.
package func words(for decision: Decision) -> String {
  switch decision {
  case .use(let account, let purpose, let left):
    "using the stored token of \(account)\(words(for: purpose))" + (left.map { ": valid for \(duration($0))" } ?? "")
  case .renew(let account, let purpose, let cause):
    "renewing \(account)\(words(for: purpose)): \(words(for: cause, isSecond: purpose != nil))"
  case .renewedElsewhere(let account, let purpose):
    "not renewing \(account)\(words(for: purpose)): the stored token is newer, and not due"
  case .requestWithoutName(let account, let purpose?):
    "renewing \(account)\(words(for: purpose)), without a scope: the server rejected the one of the sign-in"
  case .requestWithoutName(let account, nil):
    "renewing \(account) without naming its scope and audience: the server rejected them"
  case .renewWithoutMetadata(let account, let origin, let cause):
    "renewing \(account) without metadata, at the known token endpoint of \(origin): \(ErrorMessage(cause).text)"
  case .readDespite(let blemishes, let origin):
    "using the answer of \(origin) although \(blemishes.map(words).joined(separator: ", "))"
  case .sendWithNewProof(let origin, let status):
    "sending again to \(origin): "
      + (status.map { "the answer \($0) asks for another proof or no Expect" } ?? "no answer")
  case .useServerTime(let origin, let seconds):
    "the clock is \(duration(abs(seconds))) \(seconds > 0 ? "behind" : "ahead of") that of \(origin), whose time is used"
  case .useNotNoted(let account, let cause):
    "not noting in the log that \(account) is used: \(ErrorMessage(cause).text)"
  case .told(let words): words
  }
}

private func words(for purpose: TokenPurpose?) -> String {
  guard let purpose else { return "" }
  let parts = [purpose.audience.map { "audience \($0)" }, purpose.scopeText.map { "scope \($0)" }].compactMap(\.self)
  return " for \(printable(parts.joined(separator: ", ")))"
}

private func words(for cause: Decision.Cause, isSecond: Bool) -> String {
  switch cause {
  case .due(let left?) where left > 0: "the token expires in \(duration(left))"
  case .due(.some): "the token has expired"
  case .due(nil): isSecond ? "there is no such token yet" : "the end of the session is not known"
  case .rejected: "the server rejected this token"
  case .forced: "the user asked for it"
  case .idToken: "the ID token is due"
  case .checked: "the server tells only by a renewal whether the credentials work"
  }
}

private func words(for blemish: Blemish) -> String {
  switch blemish {
  case .mediaType: "its media type is not that of JSON"
  case .form: "it is a form and not JSON"
  case .malformed: "it is not well-formed JSON"
  case .member(let name): "its \(name) can't be used, and counts as missing"
  case .scopeList: "its scope is a list"
  case .scopeUnknown: "its scope can't be read"
  case .end(let name): "its \(name) can't be read"
  case .idToken: "its ID token can't be read, and is dropped"
  }
}

/// The name of the rule that chose an account.
package func words(for rule: SelectedBy) -> String {
  switch rule {
  case .option: "the command line"
  case .environment: "ACCT_ACCOUNT"
  case .directory: "the .acct file"
  case .active: "it is the active account"
  case .only: "it is the only account"
  case .user: "the user in the URL"
  case .url: "it has the URL"
  }
}

/// The words of a prompt.
@Sendable func words(for prompt: Prompt) -> String {
  switch prompt {
  case .token(let account): "New token of \(account): "
  case .newPassphrase: "Passphrase for the export: "
  case .passphraseAgain: "The same passphrase again: "
  case .passphrase: "Passphrase of the export: "
  case .callbackAddress: "callback address: "
  }
}
