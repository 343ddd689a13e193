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
    var claims: [(String, JSON)] = [
      ("jti", .string(Base64URL.encode(random.span))),
      ("htm", .string(method)),
      ("htu", .string(url.htu)),
      ("iat", .number(JSONNumber(issuedAt.secondsSince1970))),
    ]
    if let nonce { claims.append(("nonce", .string(nonce))) }
    if let accessToken {
      claims.append(("ath", .string(key.template?.hash(of: accessToken) ?? tokenHash(accessToken))))
    }

    var proof = key.template?.head ?? head(of: key)
    proof += Base64URL.encodedBytes(JSON.serialized(claims).span)
    let signature = try await signature(of: proof, by: key)
    proof.append(UInt8(ascii: "."))
    proof.append(contentsOf: Base64URL.encodedBytes(signature.span))
    return String(decoding: proof, as: UTF8.self)
  }

  /// The beginning of every proof by a key: its first segment, and the dot behind it.
  static func head(of key: DPoPKey) -> [UInt8] {
    let head = JSON.serialized([("typ", "dpop+jwt"), ("alg", "ES256"), ("jwk", key.publicJWK)])
    return Base64URL.encodedBytes(head.span) + [UInt8(ascii: ".")]
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
}

/// The parts that the proofs by one key have in common, for a process that makes many.
final class ProofTemplate: Sendable {
  /// The beginning of each: its first segment, and the dot behind it.
  let head: [UInt8]
  /// The token that nearly all of them are for, and its `ath`.
  private let known: (token: Token, hash: String)?

  init(_ key: DPoPKey, for token: Token?) {
    head = DPoPProof.head(of: key)
    known = token.map { ($0, DPoPProof.tokenHash($0)) }
  }

  /// The `ath` of a token; `nil` for another one than it was made for.
  func hash(of token: Token) -> String? { known?.token == token ? known?.hash : nil }
}
