package import AcctModel
package import AcctPorts
package import AcctProtocol

/// No account could be chosen.
package enum SelectionError: Error, Equatable, Sendable {
  /// There is no account at all.
  case noAccounts
  /// There are accounts, and none is active.
  case noneActive(candidates: [AccountName])
  case unknown(reference: String, selectedBy: SelectedBy, candidates: [AccountName])
  case ambiguous(reference: String, candidates: [AccountName])
  /// `switch` without a name, with more than two accounts and no terminal to choose at.
  case undecidedSwitch(candidates: [AccountName])
  /// `switch -`, and there is no previous account.
  case noPrevious
  /// These accounts have the origin of a request, and the active account has not.
  case severalOwn(Origin, [AccountName])
  /// These accounts have the origin of a request, and the user that its URL names is none of theirs.
  case otherUser(String, Origin, [AccountName])
  /// A `.acct` file that is meant to choose the account, and can't; and why.
  case directoryFile(path: String, reason: String)
  /// Both accounts have this origin, so neither can be selected by it.
  case originShared(Origin, [AccountName])
  /// A `Host` matches an origin of each of two accounts, so neither can be selected by it.
  case hostShared(String, [Origin], [AccountName])
  case nameTaken(AccountName)
}

/// The rule that chose the account.
package enum SelectedBy: String, Sendable {
  case option, environment, directory, active
  /// None is active, and there is no other.
  case only
  /// The URL of the request names its user.
  case user
  /// The URL of the request is its own, and not the active account's.
  case url

  /// `true` if the user has not said that this account is meant here.
  package var isPreference: Bool {
    switch self {
    case .option, .environment, .directory, .user: false
    case .active, .only, .url: true
    }
  }
}

/// A failure that is specific to a request that the user makes.
package enum RequestError: Error, Equatable, Sendable {
  /// Not a header line; the text before its colon, since the text after it may be a secret.
  case fieldMalformed(String)
  /// The account writes this field.
  case ownField(name: String, account: AccountName)
  /// The transport writes this field.
  case framingField(name: String)
  /// The server requires the request again, with a response of this status, and a part of the body is no longer
  /// available.
  case bodyGone(status: Int?, Origin)
  /// 401 to a static token.
  case tokenRejected(TokenReplacement, Origin)
  /// 401 to a token that is bound to a key, with a challenge for a bearer token alone.
  indirect case bearerOnly(Account, Origin)
  /// 400 to a guest, and the backend reports that `X-Device-ID` was missing.
  case deviceIDMissing(Origin)
  /// The response's body ended too early, after so many bytes.
  case brokenOff(HTTPFailure, received: Int64)
  /// The server's response, which has been written unchanged; when it accepts another request.
  case answered(status: Int, retryAfter: RetryAfter?, Origin)
  /// The same where a rate limit refused the request; and whether a retry would wait for the next one.
  case limited(status: Int, retryAfter: RetryAfter?, isWorthRetrying: Bool, Origin)
  /// A response that redirects after the limit of redirects was reached.
  case tooManyRedirects(limit: Int, Origin)
  /// The response redirects to something that is no URL; the value of `Location`.
  case redirectMalformed(location: String, Origin)
}
