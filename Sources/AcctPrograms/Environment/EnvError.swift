import AcctConsole
import AcctEngine
import AcctModel
import AcctProtocol

/// Keys of a `.env` file could not be taken over, or put back; the file is as it was.
enum EnvError: Error, Equatable {
  case malformed(path: String, EnvFlaw)
  /// It has neither a key nor a reference.
  case nothing(path: String)
  /// The name that was given is for one account.
  case oneNameForSeveral(path: String)
  /// The change needs a yes, and no terminal can ask.
  case unconfirmed(path: String)
  /// The value that a reference stands for can't be had.
  case tokenMissing(variable: String, String, EngineError)
}

extension EngineError {
  /// The failure of a use case.
  static func env(_ error: EnvError) -> EngineError { .told(Told(error, ErrorMessage(error))) }
}

extension ErrorMessage {
  fileprivate init(_ error: EnvError) {
    switch error {
    case .malformed(let path, let flaw):
      self = .code("badInput", .badInput)
        .saying("\(printable(path)): \(words(for: flaw))")
        .hint("nothing was stored")
    case .nothing(let path):
      self = .code("nothingFound", .failed).saying("\(printable(path)) has no key that acct can take over")
    case .oneNameForSeveral(let path):
      self = .code("usage", .usage)
        .saying("--name is for one account, and \(printable(path)) has several keys")
        .hint("`\(acctLine("add", "--from", "env", path, "--dry-run"))` shows them")
    case .unconfirmed(let path):
      self = .code("confirmationNeeded", .usage)
        .saying("\(printable(path)) would be changed; nothing was")
        .hint("confirm it at a terminal, or with --yes")
    case .tokenMissing(let variable, let reference, let error):
      self.init(error)
      text = "the value of \(printable(variable)), \(printable(reference)), can't be put back: \(text)"
    }
  }
}

/// Why a variable that looks like a secret is not a provider's key.
func words(for reason: EnvKeys.Reason) -> String {
  switch reason {
  case .otherProvider(let title): "it begins as a key of \(title)"
  case .hostNeeded(let provider):
    "its address needs a host, which `\(acctLine("add", "\(provider):HOST", "--token", "FILE"))` takes"
  case .noToken: "it has a space, a line break or a character beyond ASCII, which no token has"
  case .form: "its quotes and escapes could not be restored"
  }
}
