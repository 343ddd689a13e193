package import AcctModel
package import AcctPorts
package import AcctProtocol
package import Release

/// The user's input can't be used.
package enum InputError: Error, Equatable, Sendable {
  /// Not an HTTP method.
  case method(String)
  case malformed(ParseError)
  /// A name for an account begins as the tokens of a known server do.
  case tokenAsName
  /// Credentials that were handed over.
  case handoff(HandoffError)
  /// A file's contents are no client secret.
  case clientSecret(ClientSecret.Flaw)
  /// A file's contents are no client key.
  case clientKey(ClientKeyError)
  /// Files are no client certificate with its key.
  case certificate(CertifiedKeyError)
  /// A client certificate is no longer valid.
  case certificateEnded(Timestamp)
  /// A file that holds a secret could not be read, or other users can read it.
  case secretFile(SecretFileFailure)
  /// A file or stream that the user named could not be read.
  case stream(StreamFailure)
  /// A static token, or the options for its use.
  case staticToken(StaticTokenError)
  /// An option of `login` that the account's kind of sign-in has no use for.
  case loginOption(String, AccountName)
  /// Nothing names the account to add, and there is no terminal to ask at.
  case nothingToAdd
  /// A value is empty; `option` is `nil` for an argument.
  case emptyValue(option: String?)
}

/// A static token can't be added; nothing was stored.
package enum StaticTokenError: Error, Equatable, Sendable {
  /// The field or the form in which it is sent.
  case header(StaticHeaderFlaw)
  /// The file's contents are no token; its name as the user gave it.
  case contents(TokenFileFlaw, file: String)
  /// The contents of a file, or a program's output, are not usable as a password.
  case password(PasswordFlaw, file: String?)
  case file(SecretFileFailure)
  /// Without an origin, no command could send it.
  case noOrigin
  /// Its `cnf.jkt` binds it to a DPoP key (RFC 9449, section 6.1): alone no server accepts it.
  case boundToKey
  /// The time that was given as its end is malformed, or has passed.
  case expiry(String, isPast: Bool)
  /// No name was given, and the name made from user and origin is not valid.
  case unnamed
  /// No name was given, and the name made from user and origin is another account's.
  case nameTaken(AccountName)
  /// No name was given, and the account of the name made from user and origin has a token that is sent in another
  /// form: it is probably another token.
  case sentOtherwise(AccountName)
  /// The account of its name has a token for these origins, which are others.
  case otherOrigins(AccountName, [Place])
}

/// acct's own files, or the output, could not be used.
package enum FilesError: Error, Equatable, Sendable {
  case failed(FilesFailure)
  /// An account's file is not used.
  case skipped(SkippedAccount)
  /// A record that is to become an account's file is not one.
  case damagedAccount(AccountID)
  /// acct's locks are on a file system that may grant two machines one lock, so nothing is renewed.
  case foreignLocks(FileSystem)
  /// The result could not be written.
  case output(StreamFailure)
  /// A file that the user named, for any user to read.
  case published(PublishFailure)
  /// A value of the result has no form in the format of the result.
  case unwritable(OutputFlaw)
}
