package import AcctModel
package import AcctPorts
package import AcctProtocol
package import Release

/// Every way in which a use case can fail, by subject; the CLI has the messages.
///
/// A subject is a type of its own, and each is switched without a `default`: a new failure cannot get the message of
/// another.
package enum EngineError: Error, Equatable, Sendable {
  /// The choice of an account.
  case selection(SelectionError)
  /// The origins and the forms in which its credential may be sent.
  case authorization(AuthorizationError)
  /// The user's input.
  case input(InputError)
  /// The credentials in the keyring.
  case keyring(KeyringError)
  /// The key that an account's tokens are bound to.
  case key(KeyError)
  /// A token that another program or account provides.
  case inputToken(InputTokenError)
  /// A server gave no answer.
  case network(NetworkError)
  /// A server's answer is not usable.
  case server(ServerError)
  /// A sign-in, or the need for one.
  case signIn(SignInError)
  /// An identity of AT Protocol, and its servers.
  case atproto(ATProtoError)
  /// A provider that is known by name, and its client.
  case provider(ProviderError)
  /// An export or an import of accounts.
  case transfer(TransferError)
  /// acct's own files, and the destination of output.
  case files(FilesError)
  /// A failure of an annex, with its words.
  case told(Told)
  case cancelled
}

/// The user's input can't be used.
package enum InputError: Error, Equatable, Sendable {
  /// All accounts would be removed, and there is no terminal to ask at.
  case removalUnconfirmed([AccountName])
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
  /// A path is relative, and there is no working directory.
  case relativePath(option: String)
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

/// No account could be chosen.
package enum SelectionError: Error, Equatable, Sendable {
  /// There is no account at all.
  case noAccounts
  /// There are accounts, and none is active.
  case noneActive(candidates: [AccountName])
  case unknown(reference: String, selectedBy: SelectedBy, candidates: [AccountName])
  /// A `.acct` file names no account of this machine.
  case unknownInFile(path: String, reference: String, candidates: [AccountName])
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
  /// A `.acct` file could not be written.
  case directoryNotWritten(SettingsFileFailure)
  /// The working directory is gone, so that no file can be written there.
  case noDirectory
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
