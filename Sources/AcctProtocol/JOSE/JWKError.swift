package import StrictJSON

/// Why a JWK is no usable DPoP key.
///
/// No case holds anything of the key.
package enum JWKError: Error, Equatable, Sendable {
  /// The members of a JWK that are looked at (RFC 7517, section 4; RFC 7518, section 6.2).
  package enum Member: String, Sendable, CaseIterable { case kty, crv, x, y, d, alg, use }

  /// Not JSON, or JSON with a member that is there twice.
  case notJSON(JSONError)
  /// Not an object, and not an object in `{"jwk": …}`.
  case notAnObject
  case missing(Member)
  case notAString(Member)
  /// `kty` is not EC.
  case unsupportedKeyType
  /// `crv` is not P-256.
  case unsupportedCurve
  /// `alg` is there and is not ES256.
  case unsupportedAlgorithm
  /// `use` is there and is not sig.
  case unsupportedUse
  /// The base64url of `x`, `y` or `d` is faulty.
  case notBase64URL(Member, Base64URL.Fault)
  /// `x`, `y` or `d` is not 32 bytes.
  case wrongLength(Member)
  /// `d` is zero.
  case scalarIsZero
  /// `d` is n, the order of the curve, or more.
  case scalarTooLarge
  /// `x` and `y` have changed places.
  case coordinatesSwapped
  /// `x` or `y`, or both (then `x`), is not that of the point which `d` yields.
  case coordinateMismatch(Member)
  /// `x` and `y` are not a point of the curve.
  case notOnCurve
  /// `acct_key` names no place that this version knows, or does not say where the key is there.
  case unsupportedStorage
  /// The cryptographic library failed; the key may be good.
  case libraryFailed
}
