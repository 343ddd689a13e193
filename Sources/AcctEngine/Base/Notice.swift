package import AcctModel
import AcctProtocol

/// A message to the user about a command that succeeded.
package indirect enum Notice: Sendable {
  /// The token is used although it is due: it could not be renewed, and is not yet past.
  case usedUnrenewed(account: AccountName, secondsLeft: Int64, because: EngineError)
  /// The ID token is used although it is due: the renewal brought no new one.
  case idTokenNotRenewed(account: AccountName, secondsLeft: Int64)
  /// The session has ended, for this reason, and its token is used until it expires.
  case usedToItsEnd(account: AccountName, reason: String)
  /// A check could not ask the server.
  case notChecked(NotChecked, Origin)
  /// The clock is more than a minute off from the server's; proofs follow the server's.
  case clockOff(seconds: Int64, Origin)
  /// The server ends the session soon, even if it is renewed.
  case sessionEnds(account: AccountName, inSeconds: Int64)
  /// The certificate of the account's client ends soon.
  case certificateEnds(account: AccountName, inSeconds: Int64)
  /// A static token expires soon.
  case tokenEnds(TokenReplacement, inSeconds: Int64)
  /// A session that another program was given is rejected by its backend; the stored one stays.
  case observedSessionRefused(account: AccountName, reason: String)
  /// The server has ended the session.
  case revoked(account: AccountName)
  /// The server may still accept the tokens.
  case notRevoked(account: AccountName, Cause)
  /// A static token was removed, but not revoked: acct knows no server that could be told.
  case tokenStays(account: AccountName)
  /// The account is gone, and `log` will not show that.
  case removalNotLogged(account: AccountName, because: EngineError)
  /// The account is gone, and its items in a locked part of the keyring are not.
  case itemsLeft(account: String, in: String)
  /// The server may still accept the tokens that a new sign-in has replaced.
  case replacedNotRevoked(account: AccountName, Cause)
  /// The server has ended the session that a new sign-in has replaced.
  case formerEnded(account: AccountName)
  /// The server has ended the new session, too, with the former one.
  case endedWithFormer(account: AccountName)
  /// The session that a new sign-in has replaced is still valid.
  case formerStays(account: AccountName)

  /// A notice of an annex, in its words.
  case told(String)

  /// The server's endpoint for pushed requests is not for this client, and not required: the browser got the
  /// parameters.
  case requestNotPushed(Origin, because: EngineError)
  /// Scopes that were requested and are not in the server's response.
  case scopeNotGranted([String])
  /// The server's answer does not tell in a readable form which scope was granted.
  case scopeUnknown
  /// The member of an import that has the token's end can't be read.
  case endUnknown(member: String)
  /// The server sent an ID token that was not requested and can't be read.
  case idTokenDropped
  /// The token is for the first of several resources; without a refresh token there is none for the others.
  case resourcesApart(ResourceIndicator, others: [ResourceIndicator], areHad: Bool)
  /// A token was requested for an audience that it does not name; it names these.
  case audienceNotGranted([String])
  /// No scope was requested, or only this one by default, and the server lists these.
  case scopesOffered([String], Origin, requested: String? = nil)
  /// A new sign-in brought no refresh token, and the earlier one can't be used for it.
  case refreshTokenLost(account: AccountName)
  /// `offline_access` was requested, and the server sent no refresh token.
  case noRefreshToken
  /// The server no longer knows this client, which it registered; another one is registered.
  case clientForgotten(String)
  /// The client that its server registered for an account is still there.
  case clientNotDeleted(account: AccountName, Cause)
  /// The client of the next account with this provider could not be remembered.
  case clientNotRemembered(because: EngineError)
  /// Whether the account's own person has signed in is not known: one of the sign-ins does not say who it is.
  case personUnknown(account: AccountName)
  /// The server did not name the user who has signed in.
  case identityUnknown(because: EngineError)
  /// Other machines share the keyring and it can't be asked: the output is the last copy on this machine.
  case copyShown(because: EngineError)

  /// Why a token could not be checked.
  package enum NotChecked: Equatable, Sendable {
    /// Its server has no endpoint for that.
    case nothingToAsk
    /// The server answered with a status that does not show whether the token works.
    case answered(status: Int)
  }

  /// Why a session could not be revoked.
  package enum Cause: Sendable {
    case noEndpoint
    /// Its items in the keyring can't be read.
    case damaged
    /// The server accepts a token that it has revoked.
    case stillAccepted
    /// There is no other credential to use in its place.
    case notReplaced
    /// The server ends a token only with its session.
    case endsWithSession
    case refused(status: Int)
    case failed(EngineError)
  }
}

extension Notice.Cause {
  /// The answer of a server that did not do what it was asked for, in its words if it has some.
  init(_ answer: ServerAnswer, _ origin: Origin) {
    self = answer.isError ? .failed(EngineError(answer.noAnswer, origin)) : .refused(status: answer.status)
  }
}

extension Notice {
  /// The notice of a blemish that costs something.
  init?(_ blemish: Blemish) {
    switch blemish {
    case .scopeUnknown: self = .scopeUnknown
    case .end(let name): self = .endUnknown(member: name)
    case .idToken: self = .idTokenDropped
    case .mediaType, .form, .malformed, .member, .scopeList: return nil
    }
  }
}
