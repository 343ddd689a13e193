import AcctCrypto
import AcctModel
import StrictJSON

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
    do { return try P256PublicKey(x: x, y: y) } catch { throw .notOnCurve }
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
    guard bytes.count == 32 else { throw .wrongLength(member) }
    return bytes
  }
}
