/// Why bytes are not JSON; the one error of this room.
///
/// No case carries a value from the text, since any value may be a secret.
package enum JSONError: Error, Equatable, Sendable {
  /// More bytes than the caller allows.
  case tooLarge
  /// More than ``JSON/maximumDepth`` arrays and objects within each other.
  case tooDeep
  /// Not UTF-8: a stray byte, an overlong form, or an encoded surrogate.
  case notUTF8
  /// The text ends before its value does.
  case truncated
  /// An object has two members of this name (RFC 7493, section 2.3).
  case duplicateMember(String)
  /// An unexpected byte at this offset.
  case unexpected(offset: Int)
}
