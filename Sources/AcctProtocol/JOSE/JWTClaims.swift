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
  package var expiry: Timestamp? {
    let number: Double?
    switch object["exp"] {
    case .number(let value): number = value.double
    case .string(let text): number = JSONNumber(text)?.double
    default: number = nil
    }
    // Held at the first year that can be written, so that it is past and not missing.
    return number.flatMap { Timestamp(number: max($0, -62_167_219_200)) }
  }

  /// `sub`: who it is about.
  package var subject: String? { object["sub"]?.stringValue }
  /// `iss`: who issued it.
  package var issuer: String? { object["iss"]?.stringValue }
  /// `client_id`: whom it was issued to (RFC 9068, section 2.2).
  package var clientID: String? { object["client_id"]?.stringValue }
  /// `scope`: what it is good for (RFC 8693, section 4.2).
  package var scope: String? { object["scope"]?.stringValue }

  /// `aud`: where it is good; the first, if there are several.
  package var audience: String? {
    switch object["aud"] {
    case .string(let text): text
    case .array(let values): values.lazy.compactMap(\.stringValue).first
    default: nil
    }
  }

  /// `cnf.jkt`: the thumbprint of the key that it is bound to (RFC 9449, section 6.1).
  package var confirmationThumbprint: String? {
    object["cnf"]?.objectValue?["jkt"]?.stringValue
  }
}
