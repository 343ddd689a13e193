package import AcctModel
package import AcctPorts
package import AcctProtocol

/// A static token can't be added; nothing was stored.
package enum StaticTokenError: Error, Equatable, Sendable {
  /// How it shall be sent.
  case header(StaticHeaderFlaw)
  /// What the file contains; its name as the user gave it.
  case contents(TokenFileFlaw, file: String)
  /// Why the contents of a file, or what a program gave, are no password.
  case password(PasswordFlaw, file: String?)
  case file(SecretFileFailure)
  /// Without an origin, no command could send it.
  case noOrigin
  /// Its `cnf.jkt` binds it to a DPoP key (RFC 9449, section 6.1): alone no server accepts it.
  case boundToKey
  /// The time that was given as its end is not one, or has passed.
  case expiry(String, isPast: Bool)
  /// No name was given, and what acct makes of user and origin is none.
  case unnamed
  /// No name was given, and what acct makes of user and origin is another account's.
  case nameTaken(AccountName)
  /// No name was given, and the account that acct would name so has a token that is sent in another
  /// form: it is probably another token.
  case sentOtherwise(AccountName)
}
