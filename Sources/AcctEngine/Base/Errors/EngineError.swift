package import AcctPorts
package import AcctProtocol

/// Every way that a use case can fail, by subject; the CLI finds the words.
///
/// A subject is a type of its own, and each is switched without a `default`: a new way to fail cannot get the words
/// of another.
package enum EngineError: Error, Equatable, Sendable {
  /// Which account is meant.
  case selection(SelectionError)
  /// Where its credential may go, and in which form.
  case authorization(AuthorizationError)
  /// What the user gave.
  case input(InputError)
  /// The credentials in the keyring.
  case keyring(KeyringError)
  /// The keyring that several machines share, and moves of accounts between keyrings.
  case sharing(KeyringSharingError)
  /// The key that an account's tokens are bound to.
  case key(KeyError)
  /// There was no answer.
  case network(NetworkError)
  /// There was an answer, and it does not help.
  case server(ServerError)
  /// Signing in, or having to.
  case signIn(SignInError)
  /// An identity of AT Protocol, and where it leads.
  case atproto(ATProtoError)
  /// A server that is known by name, and its client.
  case provider(ProviderError)
  /// An app's backend that signs the user in.
  case backend(BackendError)
  /// A backend's sealed session.
  case session(SessionError)
  case guest(GuestError)
  /// A request that the user makes.
  case request(RequestError)
  /// An export or an import of accounts.
  case transfer(TransferError)
  /// acct's own files, and where output goes.
  case files(FilesError)
  /// A program could not be run.
  case exec(ExecFailure)
  case cancelled
}
