package import AcctEngine
import AcctModel
package import StrictJSON

extension Account {
  /// The `ACCOUNT` object of the contract.
  package func json(_ assessment: Assessment, isActive: Bool) -> JSON {
    .object(JSONObject(members(assessment, isActive: isActive)))
  }

  /// The members of the `ACCOUNT` object; keys are only ever added.
  package func members(_ assessment: Assessment, isActive: Bool) -> KeyValuePairs<String, JSON> {
    [
      "id": .string(id.description),
      "name": .string(name.description),
      "kind": .string(kind.rawValue),
      "handle": .init(handle?.description),
      "did": .init(did?.description),
      "displayName": .init(displayName),
      "service": .init(service?.description),
      "issuer": .init(identity.issuer?.description),
      "clientId": .init(identity.clientID),
      "provider": .init(client.provider),
      "origins": .array(origins.map { .string($0.description) }),
      "places": origins.hasPaths ? origins.placesJSON : [],
      "scope": .init(scope),
      "tokenType": .string(tokenType.rawValue),
      "thumbprint": .init(thumbprint),
      "keyStorage": tokenType == .dpop ? .string(keyStorage.rawValue) : .null,
      "active": .bool(isActive),
      "state": .string(assessment.state.rawValue),
      "reason": .init(assessment.reason),
      "expiresAt": .init(tokenLifetime.expiresAt?.description),
      "canRenew": .bool(canRenew),
      "sessionEndsAt": .init(sessionEndsAt?.description),
      "createdAt": .string(createdAt.description),
      "validatedAt": .init(validatedAt?.description),
      "limitations": limitations?.json ?? .null,
      "sentAs": sentAs?.json ?? .null,
      "boundTo": client.certificate?.isBound == true ? "certificate" : .null,
      "certificateEndsAt": .init(client.certificate?.endsAt.description),
    ]
  }
}

/// An object of the contract with its version, which every object on standard output and standard error begins with.
package func envelope(_ members: KeyValuePairs<String, JSON>) -> JSONObject {
  var object: JSONObject = ["version": 1]
  for (name, value) in members { object[name] = value }
  return object
}
