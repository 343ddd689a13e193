import AcctCrypto
package import AcctModel
import Secrets
import StrictJSON
package import Release

/// The proof that a request comes from the holder of a key (RFC 9449, section 4.2).
package enum DPoPProof {
  /// Why there is no proof.
  package enum Failure: Error, Equatable, Sendable {
    /// Fewer than 96 random bits for the `jti`.
    case tooFewRandomBytes
    /// The cryptographic library failed.
    case libraryFailed
    /// The device that has the key did not sign.
    case device(HardwareKeyFailure, KeyStorage)
  }

  /// Makes a proof for one request; it is good once, and for minutes.
  ///
  /// - Parameters:
  ///   - key: The key that the token is bound to.
  ///   - method: The method exactly as it will be sent.
  ///   - url: The URL of the request; neither query nor fragment goes into the proof.
  ///   - issuedAt: Now, by the server's clock as far as that is known.
  ///   - random: 12 or more fresh random bytes, which become the `jti`.
  ///   - nonce: The last nonce of that origin, if one is known.
  ///   - accessToken: The token sent along to a resource server. An authorization server gets none.
  /// - Returns: A JWS in compact form, the value of the `DPoP` header field.
  /// - Throws: ``Failure``.
  package static func make(
    key: DPoPKey,
    method: String,
    url: HTTPURL,
    issuedAt: Timestamp,
    random: [UInt8],
    nonce: String? = nil,
    accessToken: Token? = nil
  ) async throws(Failure) -> String {
    guard random.count >= 12 else { throw .tooFewRandomBytes }
    var claims: JSONObject = [
      "jti": .string(Base64URL.encode(random.span)),
      "htm": .string(method),
      "htu": .string(url.htu),
      "iat": .number(JSONNumber(issuedAt.secondsSince1970)),
    ]
    claims["nonce"] = nonce.map(JSON.string)
    claims["ath"] = accessToken.map { .string(tokenHash($0)) }

    var proof = key.proofHead ?? head(of: key)
    proof += segment(.object(claims))
    let signature = try await signature(of: proof, by: key)
    proof.append(UInt8(ascii: "."))
    proof.append(contentsOf: Base64URL.encodedBytes(signature.span))
    return String(decoding: proof, as: UTF8.self)
  }

  /// The beginning of every proof by a key: its first segment, and the dot behind it.
  static func head(of key: DPoPKey) -> [UInt8] {
    segment(["typ": "dpop+jwt", "alg": "ES256", "jwk": key.publicJWK]) + [UInt8(ascii: ".")]
  }

  private static func signature(of message: [UInt8], by key: DPoPKey) async throws(Failure) -> [UInt8] {
    switch key.form {
    case .software(let key): do { return try key.sign(message.span) } catch { throw .libraryFailed }
    case .hardware(let hardwareKey):
      do { return try await hardwareKey.sign(message) } catch { throw .device(error, key.storage) }
    }
  }

  /// The `ath` of a token: base64url of the SHA-256 of its ASCII.
  package static func tokenHash(_ token: Token) -> String {
    token.opened(for: .claims).withBytes { Base64URL.encode(SHA256.hash($0).span) }
  }

  private static func segment(_ json: JSON) -> [UInt8] { Base64URL.encodedBytes(json.serialized().span) }
}
