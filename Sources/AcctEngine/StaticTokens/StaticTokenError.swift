package import AcctModel
package import AcctPorts
package import AcctProtocol

/// A static token can't be added; nothing was stored.
package enum StaticTokenError: Error, Equatable, Sendable {
  /// How it shall be sent.
  case header(StaticHeaderFlaw)
  /// What the file contains; its name as the user gave it.
  case contents(TokenFileFlaw, file: String)
  case file(SecretFileFailure)
  /// Without an origin, no command could send it.
  case noOrigin
  /// Its `cnf.jkt` binds it to a DPoP key (RFC 9449, section 6.1): alone no server accepts it.
  case boundToKey
  /// The time that was given as its end is not one, or has passed.
  case expiry(String, isPast: Bool)
}
