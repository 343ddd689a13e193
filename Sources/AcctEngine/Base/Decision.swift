package import AcctModel
package import AcctProtocol
package import Release

/// A decision of a use case, which `--verbose` tells; no decision has a secret.
package enum Decision: Sendable {
  /// Why the server is asked for tokens.
  package enum Cause: Equatable, Sendable {
    /// The token has so many seconds left, or its end is not known.
    case due(secondsLeft: Int64?)
    /// A server rejected a request with it.
    case rejected
    /// The user asked for it.
    case forced
    /// The user asked whether the credentials work, and the server does not tell without a renewal.
    case checked
    /// The ID token is due.
    case idToken
  }

  /// The stored token is used; seconds until it expires, if that is known.
  case use(AccountName, TokenPurpose?, secondsLeft: Int64?)
  case renew(AccountName, TokenPurpose?, Cause)
  /// The stored token is another one than the command knew, and is not due.
  case renewedElsewhere(AccountName, TokenPurpose?)
  /// The server rejected the account's own scope or audience by name, and is asked without.
  case requestWithoutName(AccountName, TokenPurpose?)
  /// No metadata of the server can be read, for this reason: the last known token endpoint is used.
  case renewWithoutMetadata(AccountName, at: Origin, because: EngineError)
  /// The server's answer grants something, and these of it count as missing or are read leniently.
  case readDespite([Blemish], Origin)
  /// The request is sent once more with a new proof, or without `Expect`.
  case sendWithNewProof(Origin, status: Int?)
  /// The server has refused a proof, and its clock is ahead of this machine's by so many seconds; the next proof has its time.
  case useServerTime(Origin, secondsAhead: Int64)
  /// The use of an account is not in its log, for this reason.
  case useNotNoted(AccountName, because: EngineError)
  /// A decision of an annex, in its words.
  case told(String)
}
