package import AcctModel
import Secrets
package import StrictJSON
package import Release

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
  package static func decode(_ token: Token) throws(JWTError) -> JWT {
    try token.opened(for: .claims).withBytes { bytes throws(JWTError) in
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
