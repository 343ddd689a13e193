package import AcctModel
package import Secrets

/// The forms of grants that need no person and no refresh token: the client asks again each time.
package enum DirectGrant {
  /// The client's own authentication (RFC 6749, section 4.4.2).
  package static func clientCredentials(clientID: String?, scope: String?, resources: [ResourceIndicator]) -> FormBody {
    form("client_credentials", nil, clientID, scope, resources)
  }

  /// An assertion (RFC 7523, section 2.1).
  package static func jwtBearer(
    _ assertion: Secret,
    clientID: String?,
    scope: String?,
    resources: [ResourceIndicator]
  ) -> FormBody { form("urn:ietf:params:oauth:grant-type:jwt-bearer", assertion, clientID, scope, resources) }

  /// A token of another issuer, to be exchanged (RFC 8693, section 2.1).
  package static func tokenExchange(
    _ subject: Secret,
    _ inputs: TokenInputs,
    clientID: String?,
    scope: String?,
    resources: [ResourceIndicator]
  ) -> FormBody {
    var form = form("urn:ietf:params:oauth:grant-type:token-exchange", nil, clientID, scope, resources)
    form.add("subject_token", subject)
    form.add("subject_token_type", (inputs.subjectType ?? .jwt).text)
    form.add("requested_token_type", inputs.requestedType?.text)
    for audience in inputs.audiences { form.add("audience", audience) }
    return form
  }

  private static func form(
    _ grant: String,
    _ assertion: Secret?,
    _ clientID: String?,
    _ scope: String?,
    _ resources: [ResourceIndicator]
  ) -> FormBody {
    var form = FormBody()
    form.add("grant_type", grant)
    if let assertion { form.add("assertion", assertion) }
    form.add("client_id", clientID)
    form.add("scope", scope)
    for resource in resources { form.add("resource", resource.description) }
    return form
  }

  /// The parameters that are claims of an assertion instead: its subject and its audience.
  package static let claims: Set<String> = ["sub", "aud"]
}
