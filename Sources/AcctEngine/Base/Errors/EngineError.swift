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
  /// The keyring that several machines share, and moves of accounts between keyrings.
  case sharing(KeyringSharingError)
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
  /// An app's backend that signs the user in.
  case backend(BackendError)
  /// A backend's sealed session.
  case session(SessionError)
  case guest(GuestError)
  /// An export or an import of accounts.
  case transfer(TransferError)
  /// acct's own files, and the destination of output.
  case files(FilesError)
  /// A failure of an annex, with its words.
  case told(Told)
  case cancelled
}
