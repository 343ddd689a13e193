import AcctModel
import Secrets
import AcctProtocol
import StrictJSON

extension ServerClient {
  /// The form of a grant that needs no person.
  func directGrant(
    _ scope: String?,
    _ resources: [ResourceIndicator],
    of server: AuthorizationServer,
    _ moment: Moment
  ) throws(EngineError) -> FormBody {
    if let token = tokens.grant {
      guard settings.grant == .tokenExchange else {
        return DirectGrant.jwtBearer(token, clientID: formID, scope: scope, resources: resources)
      }
      return DirectGrant.tokenExchange(
        token,
        settings.inputs,
        clientID: formID,
        scope: scope,
        resources: resources
      )
    }
    guard signsGrant, let id, let key else {
      return DirectGrant.clientCredentials(clientID: formID, scope: scope, resources: resources)
    }
    func claim(_ name: String) -> String? { settings.tokenParameters.last { $0.name == name }?.value }
    var claims = JSONObject()
    // Some servers read the scope only in the assertion.
    claims["scope"] = scope.map(JSON.string)
    let assertion = try assertion(
      key,
      issuer: id,
      subject: claim("sub"),
      audience: claim("aud") ?? server.tokenEndpoint.description,
      claims,
      moment
    )
    return DirectGrant.jwtBearer(
      assertion,
      clientID: method == .none ? nil : formID,
      scope: scope,
      resources: resources
    )
  }

  /// `true` if its key signs the assertion of its grant.
  var signsGrant: Bool { settings.grant == .jwtBearer && settings.inputs.grantToken == nil }

  /// The codes with which a server rejects an assertion of the client's own: for its time, among other reasons.
  var assertionRefusals: Set<String> {
    var codes: Set<String> = []
    if method == .privateKey { codes.insert("invalid_client") }
    if signsGrant { codes.insert("invalid_grant") }
    return codes
  }

  /// A JWT that the client's key signs.
  func assertion(
    _ key: ClientKey,
    issuer: String,
    subject: String?,
    audience: String,
    _ claims: JSONObject,
    _ moment: Moment
  ) throws(EngineError) -> Secret {
    do {
      return try ClientAssertion.make(
        key: key,
        issuer: issuer,
        subject: subject,
        audience: audience,
        claims: claims,
        now: moment.now,
        random: moment.random
      )
    } catch { throw .key(.clientKey(error)) }
  }
}
