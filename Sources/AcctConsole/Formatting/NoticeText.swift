package import AcctEngine
import AcctModel

/// A notice in words, which the user should know although the command succeeded.
package func words(for notice: Notice) -> String {
  switch notice {
  case .usedUnrenewed(let account, let seconds, let cause):
    "the token of \(account) could not be renewed and is used for the \(duration(seconds)) it has left: "
      + ErrorMessage(cause).text
  case .idTokenNotRenewed(let account, let seconds):
    "the server sent no new ID token for \(account), and this one is used for the \(duration(seconds)) it has left"
  case .usedToItsEnd(let account, let reason):
    "\(loginHint(account)): \(printable(reason)); its token from before is used to its end"
  case .notChecked(.nothingToAsk, let origin):
    "not checked: \(origin.authority) has nothing to ask"
  case .notChecked(.answered(let status), let origin):
    "not checked: \(origin.authority) answered \(status)"
  case .clockOff(let seconds, let origin):
    "the clock is \(duration(abs(seconds))) \(seconds > 0 ? "behind" : "ahead of") that of \(origin)"
  case .sessionEnds(let account, let seconds):
    "sign in again within \(duration(seconds)), with `\(loginLine(account))`: after that the server ends the session"
  case .certificateEnds(let account, let seconds):
    "the client certificate of \(account) ends in \(duration(seconds)); with a new one, "
      + "`\(loginLine(account, certificateOptions))`"
  case .tokenEnds(let replacement, let seconds):
    "the token of \(replacement.account) expires in \(duration(seconds)); "
      + remedy(for: replacement)
  case .observedSessionRefused(let account, let reason):
    "the session in these headers is not accepted: \(printable(reason)); the stored session of "
      + "\(account) is unchanged"
  case .requestNotPushed(let origin, let cause):
    "\(origin) takes no pushed request of this client, so the browser gets its parameters: " + ErrorMessage(cause).text
  case .scopeNotGranted(let scopes): "the server did not grant \(scopes.map(printable).joined(separator: " "))"
  case .scopeUnknown: "the granted scope can't be read, and is not known"
  case .endUnknown(let member): "\(member) can't be read: when the token ends is not known from it"
  case .idTokenDropped: "the ID token can't be read and was not requested; it is not kept"
  case .resourcesApart(let first, let others, let areHad):
    "the token is for \(first); "
      + (areHad
        ? "requests to \(list(others)) get a token of their own"
        : "the server sent no refresh token, so there is no token for \(list(others))")
  case .audienceNotGranted(let audiences):
    audiences.isEmpty
      ? "the server ignored the audience: the token names none"
      : "the server ignored the audience: the token is for "
        + audiences.map(printable).joined(separator: " ")
  case .scopesOffered(let scopes, let origin, let requested?):
    "only the scope \(requested) is requested; \(origin) lists "
      + "\(scopes.map(printable).joined(separator: " ")), and --scope requests others"
  case .refreshTokenLost(let account):
    "the server sent no refresh token this time, and the earlier one of \(account) does not fit: the account "
      + "can't be renewed"
  case .scopesOffered(let scopes, let origin, nil):
    "no scope is requested; \(origin) lists \(scopes.map(printable).joined(separator: " ")), and --scope "
      + "requests some"
  case .noRefreshToken:
    "the server sent no refresh token, although offline_access was requested: the account can't be renewed"
  case .clientForgotten(let client):
    "the server no longer knows the client \(shellWord(printable(client))), which it registered for acct; another one is registered"
  case .clientNotDeleted(let account, let cause):
    "the server did not delete the client that it registered for \(account): \(words(for: cause))"
  case .clientNotRemembered(let cause):
    "the client is not remembered, so the next account needs --client-id again: " + ErrorMessage(cause).text
  case .personUnknown(let account): "the server does not say whether it is \(account)'s person who has signed in"
  case .identityUnknown(let cause):
    "the server did not tell who has signed in, so only --name selects an account that is there: "
      + ErrorMessage(cause).text
  case .copyShown(let cause): "these are the accounts as this machine last saw them: " + ErrorMessage(cause).text
  case .replacedNotRevoked(let account, let cause):
    "the server did not end the earlier session of \(account): \(words(for: cause))"
  case .formerEnded(let account): "the server has ended the former session of \(account)"
  case .endedWithFormer(let account):
    "the server has ended the new session of \(account) with the former one: \(loginHint(account))"
  case .formerStays(let account):
    "the former session of \(account) is still valid at its server: a sign-in with `--end-former` ends it"
  case .revoked(let account): "the server has ended the session of \(account)"
  case .tokenStays(let account): "the token of \(account) is still valid: revoke it at its server"
  case .removalNotLogged(let account, let cause):
    "the removal of \(account) is not in the log: " + ErrorMessage(cause).text
  case .itemsLeft(let account, let name):
    "items of \(account) are still in the collection \(printable(name)), which is locked: delete them there"
  case .told(let text): text
  case .notRevoked(let account, let cause): "the server did not end the session of \(account): \(words(for: cause))"
  }
}

package func words(for cause: Notice.Cause) -> String {
  switch cause {
  case .damaged: "its items in the keyring are damaged"
  case .stillAccepted: "it accepts the token after its revocation"
  case .notReplaced: "it sent no new one"
  case .endsWithSession: "it ends the token only with the session"
  case .noEndpoint: "it has no revocation endpoint"
  case .refused(let status): "it answered \(status)"
  case .failed(let error): ErrorMessage(error).text
  }
}

private func list(_ resources: [ResourceIndicator]) -> String {
  resources.map { printable($0.description) }.joined(separator: " ")
}
