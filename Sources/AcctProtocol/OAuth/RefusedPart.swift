/// A part of a request that an authorization server refuses and only the user can change, by the code of the error
/// (RFC 6749, section 5.2; RFC 8707, section 2).
package enum RefusedPart: String, Sendable, CaseIterable {
  case client = "invalid_client"
  /// The client is known, and may not do this.
  case use = "unauthorized_client"
  case scope = "invalid_scope"
  case resource = "invalid_target"
}
