package import AcctModel
package import AcctCrypto
import Secrets
package import StrictJSON

/// A JSON Web Key (RFC 7517) of an elliptic curve, read member by member.
struct JWK {
  private let members: JSONObject

  /// Takes the bare JWK, or the one within `{"jwk": …}`, as real backends send it.
  init(_ json: JSON) throws(JWKError) {
    guard let outer = json.objectValue else { throw .notAnObject }
    guard outer["kty"] == nil, let inner = outer["jwk"] else {
      members = outer
      return
    }
    guard let inner = inner.objectValue else { throw .notAnObject }
    members = inner
  }

  /// The private key, when every member is right and they agree with each other.
  func privateKey() throws(JWKError) -> P256PrivateKey {
    try requireES256()
    let (x, y) = (try bytes(.x), try bytes(.y))
    var scalar = try bytes(.d)
    let isZero = scalar.allSatisfy { $0 == 0 }
    let secret = Secret(consuming: &scalar)
    guard !isZero else { throw .scalarIsZero }

    let key: P256PrivateKey
    do { key = try P256PrivateKey(rawScalar: secret) } catch {
      throw error == .scalarOutOfRange ? .scalarTooLarge : .libraryFailed
    }
    let point = key.publicKey
    guard !(x == point.y && y == point.x) else { throw .coordinatesSwapped }
    guard x == point.x else { throw .coordinateMismatch(.x) }
    guard y == point.y else { throw .coordinateMismatch(.y) }
    return key
  }

  /// The public key alone, when every member is right; a JWK with `d` is none.
  func publicKey() throws(JWKError) -> P256PublicKey {
    try requireES256()
    guard members[JWKError.Member.d.rawValue] == nil else { throw .unsupportedStorage }
    let (x, y) = (try bytes(.x), try bytes(.y))
    do { return try P256PublicKey(x: x, y: y) } catch {
      throw error == .libraryFailed ? .libraryFailed : .notOnCurve
    }
  }

  private func requireES256() throws(JWKError) {
    guard try text(.kty) == "EC" else { throw .unsupportedKeyType }
    guard try text(.crv) == "P-256" else { throw .unsupportedCurve }
    guard try optionalText(.alg).map({ $0 == "ES256" }) ?? true else { throw .unsupportedAlgorithm }
    guard try optionalText(.use).map({ $0 == "sig" }) ?? true else { throw .unsupportedUse }
  }

  private func optionalText(_ member: JWKError.Member) throws(JWKError) -> String? {
    guard let value = members[member.rawValue] else { return nil }
    guard let text = value.stringValue else { throw .notAString(member) }
    return text
  }

  private func text(_ member: JWKError.Member) throws(JWKError) -> String {
    guard let text = try optionalText(member) else { throw .missing(member) }
    return text
  }

  private func bytes(_ member: JWKError.Member) throws(JWKError) -> [UInt8] {
    let text = try text(member)
    let bytes: [UInt8]
    do { bytes = try Base64URL.decode(text) } catch { throw .notBase64URL(member, error) }
    guard bytes.count == 32 else { throw .wrongLength(member, bytes.count, startsWithZero: bytes.first == 0) }
    return bytes
  }
}

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
  /// `x`, `y` or `d` has another number of bytes than 32.
  case wrongLength(Member, Int, startsWithZero: Bool)
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

extension P256PublicKey {
  /// The public JWK (RFC 7518, section 6.2.1), with exactly the members, in exactly the order,
  /// that RFC 7638 hashes.
  package var jwk: JSON {
    ["crv": "P-256", "kty": "EC", "x": .string(Base64URL.encode(x.span)), "y": .string(Base64URL.encode(y.span))]
  }

  /// The RFC 7638 thumbprint with SHA-256, in base64url.
  package var thumbprint: String {
    let canonical = jwk.serialized()
    return Base64URL.encode(SHA256.hash(canonical.span).span)
  }
}
