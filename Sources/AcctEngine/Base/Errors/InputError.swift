package import AcctModel
package import AcctPorts
package import AcctProtocol

/// What the user gave can't be used.
package enum InputError: Error, Equatable, Sendable {
  /// Not an HTTP method.
  case method(String)
  case malformed(ParseError)
  /// Credentials that were handed over.
  case handoff(HandoffError)
  /// What was given to observe is no response's head.
  case nothingObserved
  /// A file's contents are no client secret.
  case clientSecret(ClientSecret.Flaw)
  /// A file's contents are no client key.
  case clientKey(ClientKeyError)
  /// A file that holds a secret could not be read, or other users can read it.
  case secretFile(SecretFileFailure)
  /// What the user named could not be read.
  case stream(StreamFailure)
  /// A static token, or how it is to be used.
  case staticToken(StaticTokenError)
  /// A program did not speak its credential protocol.
  case program(HelperFlaw)
}
