package import AcctModel
package import AcctPorts

/// A token that a request starts from can't be had, so that nothing was sent; the account's credentials are unchanged.
package enum InputTokenError: Error, Equatable, Sendable {
  /// The file can't be read; one that other users can write is `exposed`.
  case file(SecretFileFailure)
  /// It has no token, or a wrong one.
  case unusable(Flaw, TokenOrigin)
  /// The token has ended.
  case ended(TokenOrigin, Timestamp)
  /// The program gave no result.
  case program(ProgramFailure)
  /// The program failed; the first line of its words.
  case refused(program: String, status: Int32, words: String)
  /// The account that has the token was removed.
  case accountGone(AccountID)
  /// The accounts' tokens start from each other's.
  case circular(AccountName)
  /// The token of that account could not be had.
  indirect case account(AccountName, EngineError)
  /// Tokens of this machine can't be used by others that share the keyring, or that read an export.
  case local(AccountName?)

  package enum Flaw: Equatable, Sendable {
    case empty
    /// Not one word of printable ASCII.
    case notToken
    /// Not a JWT, where one is needed.
    case notJWT
  }
}

/// The origin of an input token, for people.
package enum TokenOrigin: Equatable, Sendable {
  /// A file's path.
  case file(String)
  /// A program's name.
  case program(String)
}
