package import AcctModel
package import StrictJSON

/// The claims of a JWT as its issuer wrote them; what is of the wrong type counts as missing.
package struct JWTClaims: Equatable, Sendable {
  /// Every claim.
  package let object: JSONObject

  package init(_ object: JSONObject) { self.object = object }

  /// When the token expires: `exp` as an integer, a float or, wrongly but seen, a string of one.
  ///
  /// What is no time at all (`"soon"`, 1e400) is missing; a negative one is long past.
  package var expiry: Timestamp? { object["exp"]?.looseNumber.flatMap(Timestamp.init(number:)) }

  /// `sub`: who it is about.
  package var subject: String? { object["sub"]?.stringValue }
  /// `iss`: who issued it.
  package var issuer: String? { object["iss"]?.stringValue }
  /// `client_id`: whom it was issued to (RFC 9068, section 2.2).
  package var clientID: String? { object["client_id"]?.stringValue }
  /// `scope`: what it is good for (RFC 8693, section 4.2).
  package var scope: String? { object["scope"]?.stringValue }

  /// `aud`: where it is good, one place or several.
  package var audiences: [String] {
    switch object["aud"] {
    case .string(let text): [text]
    case .array(let values): values.compactMap(\.stringValue)
    default: []
    }
  }

  /// `cnf.jkt`: the thumbprint of the key that it is bound to (RFC 9449, section 6.1).
  package var confirmationThumbprint: String? { object["cnf"]?.objectValue?["jkt"]?.stringValue }
}
