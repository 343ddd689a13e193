package import AcctModel
package import Release

/// The forms that renew, revoke and introspect (RFC 6749, section 6; RFC 7009; RFC 7662).
package enum RefreshRequest {
  /// Asks for new tokens.
  ///
  /// - Parameters:
  ///   - refreshToken: Often good for one use alone.
  ///   - clientID: The very same string as at sign-in; another one ends the session.
  ///   - resource: The resource that the token is for, one of those of the sign-in (RFC 8707, section 2.2).
  /// - Returns: The form.
  package static func form(_ refreshToken: Token, clientID: String?, resource: ResourceIndicator?) -> FormBody {
    var form = FormBody()
    form.add("grant_type", "refresh_token")
    form.add("refresh_token", refreshToken)
    form.add("client_id", clientID)
    form.add("resource", resource?.description)
    return form
  }

  /// Asks to end the session (RFC 7009, section 2.1).
  package static func revocation(of token: Token, hint: String, clientID: String?) -> FormBody {
    var form = FormBody()
    form.add("token", token)
    form.add("token_type_hint", hint)
    form.add("client_id", clientID)
    return form
  }

  /// Asks whether a token is active (RFC 7662, section 2.1).
  package static func introspection(of token: Token, clientID: String?) -> FormBody {
    var form = FormBody()
    form.add("token", token)
    form.add("token_type_hint", "access_token")
    form.add("client_id", clientID)
    return form
  }
}
