import AcctEngine
import AcctModel
package import AcctPorts
package import AcctProtocol

extension ErrorMessage {
  /// A backend did not sign the user in; nothing was stored.
  init(_ error: BackendError) {
    switch error {
    case .callbackPrefix(let text, let flaw):
      self = .code("usage", .usage)
        .saying("--callback \(printable(text)): \(words(for: flaw))")
        .hint("as in limit://auth, or http://127.0.0.1:8080/callback")
    case .refused(let status, let reason, let origin):
      self = .code("backendRefused", .signInRequired)
        .saying(
          "\(origin) did not sign you in (\(status))" + (reason.map { ": \(printable(String($0.prefix(200))))" } ?? "")
        )
      needsLogin = true
    case .malformedAnswer(let member, let origin):
      self = .code("badAnswer", .serverFailed).saying("\(origin) sent an answer with a bad \(member)")
    case .handoff(let error, let origin):
      self.init(error)
      // A flaw in the data is bad input from a file, and a failure of the server in its answer.
      if status == .badInput { status = .serverFailed }
      text = "\(origin) sent an answer that acct can't use: \(text)"
    case .otherPerson(let asked, let found?, let origin):
      self = .code("otherPerson", .refused)
        .saying("\(origin) signed in \(printable(found)) instead of \(asked)")
        .hint(wrongPersonHint(found, asked))
    case .otherPerson(let asked, nil, let origin):
      self = .code("otherPerson", .serverFailed)
        .saying("\(origin) signed in an identity other than \(asked)")
        .hint("nothing was stored; sign in as \(asked) in the browser")
    case .undelivered(let failure):
      self = .code("callbackUndelivered", .failed)
        .saying("the callback was not accepted: \(words(for: failure))")
        .hint("run the same command again, and keep it running until the browser is done")
    case .unexpectedCallback:
      self = .code("callbackUnexpected", .failed)
        .saying("this is not the callback that the sign-in expects")
        .hint("go back to the page where you sign in")
    }
  }
}

/// For a browser that was signed in as another identity than the named one.
func wrongPersonHint(_ found: String, _ asked: String) -> String {
  let found = printable(String(found.prefix { $0 != "," }))
  return
    "sign out of \(found) in the browser, then run the same command again and sign in as \(asked)"
}

/// Why an address is not the callback that is waited for.
package func words(for flaw: CallbackFlaw) -> String {
  switch flaw {
  case .tooLong: "it is longer than \(CallbackAddress.limit / 1024) KiB"
  case .malformed: "it is not an address"
  case .doubled(let name): "\(printable(name)) is present twice"
  case .foreign: "it is neither an app's own scheme nor a loopback address"
  case .unexpected: "it does not match --callback"
  case .incomplete(let name): "there is no \(name)"
  case .unfit(let name): "\(name) is malformed"
  case .mismatched(let name): "its \(name) is not the one that was requested"
  }
}

/// Why the desktop does not hand addresses over.
package func words(for failure: SchemeHandlerFailure) -> String {
  switch failure {
  case .nobodyWaits: "no sign-in is waiting for a callback"
  case .failed(let reason): reason
  }
}

extension ErrorMessage {
  /// A guest session did not begin, or can't continue.
  init(_ error: GuestError) {
    switch error {
    case .deviceIDMissing(let origin):
      self = .code("deviceIDMissing", .serverFailed)
        .saying("\(origin) reports that X-Device-ID is missing, which every request of a guest contains")
        .hint("check whether a proxy removes it")
    case .limited(let limit, let message, let origin):
      let hint = limit.map { words(for: $0, at: $0.observedAt) } ?? ""
      self = .code("rateLimited", .rateLimited)
        .saying("the limit of \(origin) is reached" + (message.map { ": \(printable($0))" } ?? ""))
        .hint(hint.isEmpty ? "a new guest session does not reset it; wait" : hint)
    case .refused(let status, let message, let origin):
      let words = message.map { ": \(printable($0))" } ?? ""
      let isSignIn = status == 401 || status == 403
      self = .code("guestRefused", isSignIn ? .signInRequired : .serverFailed)
        .saying("\(origin) does not accept guests (it answered \(status))\(words)")
    case .malformed(let member, let origin):
      self = .code("badAnswer", .serverFailed)
        .saying(
          member.map { "\(origin) sent a guest session with a bad \($0)" }
            ?? "\(origin) sent an answer that is not JSON"
        )
    case .shared(let kind):
      self = .code("guestShared", .refused)
        .saying("a guest session belongs to one machine, and the keyring (\(kind.rawValue)) is shared")
        .hint("add the guest under another ACCT_HOME, with a keyring of its own")
    case .damagedDeviceID:
      self = .code("damagedDeviceID", .badInput)
        .saying("the file device-id contains no identifier of this machine")
        .hint("restore it, or remove it: backends then see a new machine")
    }
  }

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
