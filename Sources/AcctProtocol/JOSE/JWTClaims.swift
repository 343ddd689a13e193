package import AcctModel
package import StrictJSON
import Release

/// The claims of a JWT as its issuer wrote them; a claim of the wrong type counts as missing.
package struct JWTClaims: Equatable, Sendable {
  /// Every claim.
  package let object: JSONObject

  package init(_ object: JSONObject) { self.object = object }

  /// When the token expires: `exp` as an integer, a float or, wrongly but seen, a string of one.
  ///
  /// A value that is no time at all (`"soon"`, 1e400) counts as missing; a negative one is long past.
  package var expiry: Timestamp? { object["exp"]?.looseNumber.flatMap(Timestamp.init(number:)) }

  /// When the token was issued: `iat`, in the same forms.
  package var issuedAt: Timestamp? { object["iat"]?.looseNumber.flatMap(Timestamp.init(number:)) }

  /// `sub`: the user or client that it is about; a number by its digits.
  package var subject: String? { object["sub"]?.identifier }
  /// `iss`: the issuer.
  package var issuer: String? { object["iss"]?.stringValue }
  /// `client_id`: the client that it was issued to (RFC 9068, section 2.2).
  package var clientID: String? { object["client_id"]?.stringValue }
  /// `scope`: the scopes that it is valid for (RFC 8693, section 4.2).
  package var scope: String? { object["scope"]?.stringValue }

  /// `aud`: the recipients that it is for, one or several.
  package var audiences: [String] {
    switch object["aud"] {
    case .string(let text): [text]
    case .array(let values): values.compactMap(\.stringValue)
    default: []
    }
  }

  /// `cnf.x5t#S256`: the thumbprint of the certificate that it is bound to (RFC 8705, section 3.1).
  package var certificateThumbprint: String? { object["cnf"]?.objectValue?["x5t#S256"]?.stringValue }

  /// `cnf.jkt`: the thumbprint of the key that it is bound to (RFC 9449, section 6.1).
  package var confirmationThumbprint: String? { object["cnf"]?.objectValue?["jkt"]?.stringValue }
}

/// An access token's claims; none, if it is opaque.
///
/// Decoded, never trusted: only the resource server can verify it (RFC 9068, section 4).
struct TokenClaims {
  private let claims: JWTClaims?

  /// Reads a token: a JWT, or anything else.
  init(of token: Token) {
    claims =
      switch JWT.claims(ofToken: token) {
      case .opaque: nil
      case .claims(let claims): claims
      }
  }

  var expiry: Timestamp? { claims?.expiry }
  var subject: String? { claims?.subject }
  var issuer: String? { claims?.issuer }
  var clientID: String? { claims?.clientID }
  var scope: String? { claims?.scope }
  /// The thumbprint of the key that it is bound to (RFC 9449, section 6.1).
  var confirmationThumbprint: String? { claims?.confirmationThumbprint }
  /// The thumbprint of the certificate that it is bound to (RFC 8705, section 3.1).
  var certificateThumbprint: String? { claims?.certificateThumbprint }
  /// `true` if it is a JWT, which says what it is bound to.
  var isReadable: Bool { claims != nil }
  /// `true` if it is bound to a key (RFC 7800): anything but a certificate alone.
  var isBoundToKey: Bool {
    claims?.object["cnf"] != nil && (certificateThumbprint == nil || confirmationThumbprint != nil)
  }

  /// The first audience that is a URL or a `did:web`, as the origin that takes the token.
  var resourceServer: Origin? {
    for audience in claims?.audiences ?? [] {
      if let origin = (try? HTTPURL(audience))?.origin ?? (try? DID(audience))?.webOrigin { return origin }
    }
    return nil
  }
}
