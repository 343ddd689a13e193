package import AcctModel

/// Why an AT Protocol identity, or an address that it names, can't be trusted.
package enum ATProtoError: Error, Equatable, Sendable {
  /// A top-level name that is never resolved, or `.test` without a resolver of one's own.
  case unresolvableHandle(Handle)
  /// Neither DNS nor the handle's own server has a DID for it.
  case handleNotFound(Handle)
  /// Two TXT records name two DIDs.
  case handleAmbiguous(Handle)
  /// The handle's record exists and is not a DID.
  case handleMalformed(Handle)
  /// A method other than `plc` and `web`, or a `did:web` with a path.
  case unsupportedDID(DID)
  case didNotFound(DID)
  /// The document is another DID's.
  case documentMismatch(DID)
  case documentMalformed(DID)
  /// The document names no personal data server.
  case noService(DID)
  /// Its data server's address is one that no credential may be sent to.
  case serviceRefused(DID)
  /// The document claims another handle than the one that was asked for.
  case handleNotConfirmed(Handle, DID)
  /// Metadata of the data server is missing, redirected, not JSON, or another server's.
  case protectedResource(Origin, Flaw)
  /// The authorization server lacks something that the protocol asks for.
  case server(Origin, missing: String)
  /// The tokens are another identity's.
  case subjectMismatch(expected: DID?, found: String?)
  /// The grant does not hold the scope `atproto`.
  case scopeMissing
  /// The DID's own document leads to another server than the one that granted the tokens.
  case issuerMismatch(DID, expected: Issuer)

  /// A flaw in a document.
  package enum Flaw: Equatable, Sendable {
    case status(Int)
    case notJSON
    case malformed
    /// It speaks for another origin.
    case foreign
  }
}
