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
  /// What the user named could not be read.
  case stream(StreamFailure)
  /// A static token, or how it is to be used.
  case staticToken(StaticTokenError)
}
