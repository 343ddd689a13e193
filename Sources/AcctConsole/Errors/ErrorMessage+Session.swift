import AcctEngine
import AcctModel
import AcctPorts

extension ErrorMessage {
  /// A session did not continue; its stored credentials are unchanged.
  init(_ error: SessionError) {
    switch error {
    case .otherIdentity(let expected, let found, let origin):
      self = .code("otherIdentity", .serverFailed)
        .saying("\(origin) names \(found) instead of \(expected)")
        .hint("nothing was changed")
    case .unnamed(let account, let origin):
      self = .code("otherIdentity", .serverFailed)
        .saying("\(origin) does not say that this session is \(account)'s")
        .hint("nothing was changed")
    case .notExtended(let account, let reason):
      self = .code("notExtended", .signInRequired)
        .saying("the session of \(account) could not be extended: \(printable(reason))")
        .hint(loginHint(account))
    case .notStored(let failure, let kind):
      self.init(failure, kind)
      // Its own hint says that nothing was changed; here a server may have changed something.
      hint =
        kind.isShared
        ? "the server's answer waits on this machine, encrypted: the next call that reaches the engine stores it"
        : "unlock it and try again: the server's answer could not be stored, and the next call says "
          + "whether the session is lost"
    case .refused(let account, let reason):
      self = .code("sessionRefused", .signInRequired)
        .saying("the session of \(account) was rejected: \(printable(reason))")
        .hint("the account is kept; if it keeps failing, \(loginHint(account))")
    }
  }
}
