/// Text that is not of the form that its type requires; the one error of this module.
///
/// A case carries the offending text only where that text can be no secret.
package enum ParseError: Error, Equatable, Sendable {
  /// Not a version-4 UUID.
  case accountID(String)
  /// Not usable as a name; see ``AccountName``.
  case accountName(String)
  /// Not an AT Protocol handle.
  case handle(String)
  /// Not a decentralized identifier.
  case did(String)
  /// Not an absolute http or https URL. The URL itself may carry a secret in its query.
  case url
  /// Not an origin such as `https://host[:port]`.
  case origin(String)
  /// An absolute http or https URL that no credential may be sent to.
  case refusedURL(Refusal)
  /// Not an issuer identifier (RFC 8414, section 2).
  case issuer(String)
  /// Not a resource indicator (RFC 8707, section 2).
  case resource
  /// Not a loopback address to redirect to, as in `http://localhost:8080/callback`.
  case redirect
  /// Not `NAME=VALUE`; the value may be meant to be a secret.
  case parameter
  /// A parameter that the protocol itself has a meaning for.
  case ownParameter(String)
  /// Not RFC 3339, or not a usable number of seconds.
  case timestamp
  /// Empty, or with characters outside %x21–7E.
  case token
  /// Not the address of a TPM; see ``TPMAddress``.
  case tpmAddress
  /// Neither a word for a type of tokens nor a URI (RFC 8693, section 3).
  case tokenType
  /// Not a line of words that a program could be run with; see ``ProgramLine``.
  case programLine

  /// Why a well-formed URL is refused.
  package enum Refusal: Error, Equatable, Sendable {
    /// `user@host`: the part before the `@` is often taken for the host.
    case userInformation
    /// A host that is not plain ASCII letters, digits, `-`, `.`, `_`, or an IP address.
    case unusableHost
    /// Plain http to a host that is not loopback.
    case plainHTTP
  }
}
