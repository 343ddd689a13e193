package import AcctModel
package import Release
import Secrets
package import StrictJSON

/// Why a token that claims to be a JWT is none.
///
/// No case holds anything of the token.
package enum JWTError: Error, Equatable, Sendable {
  package enum Segment: Sendable { case header, claims, signature }

  /// The number of segments is not three.
  case wrongSegmentCount(Int)
  case notBase64URL(Segment, Base64URL.Fault)
  case notJSON(Segment, JSONError)
  case notAnObject(Segment)
}

/// A JSON Web Token (RFC 7519), decoded and not trusted: its signature is for others to check.
package struct JWT: Sendable {
  package let header: JSONObject
  package let claims: JWTClaims

  /// The claims of a token.
  package enum Reading: Equatable, Sendable {
    /// Nothing that a client could read: a random string, or an encrypted JWT.
    case opaque
    case claims(JWTClaims)
  }

  /// Decodes a token that must be a JWT: three segments of base64url, two of them JSON objects.
  package static func decode(_ token: Token) throws(JWTError) -> JWT { try decode(token.opened(for: .claims)) }

  private static func decode(_ characters: Secret) throws(JWTError) -> JWT {
    try characters.withBytes { bytes throws(JWTError) in
      let segments = split(bytes)
      guard segments.count == 3 else { throw .wrongSegmentCount(segments.count) }
      let header = try object(in: bytes.extracting(segments[0]), .header)
      let claims = try object(in: bytes.extracting(segments[1]), .claims)
      _ = try decoded(bytes.extracting(segments[2]), .signature)
      return JWT(header: header, claims: JWTClaims(claims))
    }
  }

  /// Reads the claims of a token that may as well be opaque.
  ///
  /// Its claims are a hint: what looks like a JWT and is none, as padded, itsdangerous' or selectively disclosed tokens
  /// do, is opaque and is sent as it is.
  package static func claims(ofToken token: Token) -> Reading {
    do throws(JWTError) { return .claims(try decode(token).claims) } catch { return .opaque }
  }

  /// The claims of a refresh token that is a JWT; `nil` for any other, which is opaque to a client.
  package static func claims(of refreshToken: RefreshToken) -> JWTClaims? {
    do throws(JWTError) { return try decode(refreshToken.opened(for: .claims)).claims } catch { return nil }
  }

  /// The subject that a token names, if it can be read.
  package static func subject(of token: Token) -> String? {
    guard case .claims(let claims) = claims(ofToken: token) else { return nil }
    return claims.subject
  }

  private static func split(_ bytes: Span<UInt8>) -> [Range<Int>] {
    var segments: [Range<Int>] = []
    var start = 0
    for index in bytes.indices where bytes[index] == UInt8(ascii: ".") {
      segments.append(start..<index)
      start = index + 1
    }
    return segments + [start..<bytes.count]
  }

  private static func decoded(_ text: Span<UInt8>, _ segment: JWTError.Segment) throws(JWTError) -> [UInt8] {
    do { return try Base64URL.decode(text) } catch { throw .notBase64URL(segment, error) }
  }

  private static func object(in text: Span<UInt8>, _ segment: JWTError.Segment) throws(JWTError) -> JSONObject {
    let bytes = try decoded(text, segment)
    let json: JSON
    do { json = try JSON(parsing: bytes) } catch { throw .notJSON(segment, error) }
    guard let object = json.objectValue else { throw .notAnObject(segment) }
    return object
  }
}

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
package struct TokenClaims {
  private let claims: JWTClaims?

  /// Reads a token: a JWT, or anything else.
  package init(of token: Token) {
    claims =
      switch JWT.claims(ofToken: token) {
      case .opaque: nil
      case .claims(let claims): claims
      }
  }

  package var expiry: Timestamp? { claims?.expiry }
  package var subject: String? { claims?.subject }
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
