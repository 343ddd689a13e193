import AcctCrypto
import AcctModel
package import Secrets
package import StrictJSON

/// The private key that a client signs its assertions with (RFC 7523): of P-256 for ES256, or RSA for RS256.
package struct ClientKey: Sendable {
  enum Form: Sendable {
    case p256(P256PrivateKey)
    case rsa(RSAPrivateKey)
  }

  let form: Form
  /// The name of the key at the server (RFC 7515, section 4.1.4), if it has one.
  package let keyID: String?

  init(_ form: Form, keyID: String?) {
    self.form = form
    self.keyID = keyID
  }

  /// Reads the output of ``privateJWK``; it is checked again, since it comes from outside.
  package init(privateJWK: Secret) throws(ClientKeyError) {
    let json: JSON
    do {
      json = try privateJWK.withBytes { bytes throws(JSONError) in try JSON(parsing: bytes) }
    } catch { throw .jwk(.notJSON(error)) }
    try self.init(jwk: json)
  }

  /// Reads a private key in PEM.
  package init(pem: Secret, keyID: String? = nil) throws(ClientKeyError) {
    let key: PEMKey
    do { key = try PEMKey(pem) } catch { throw ClientKeyError(error) }
    switch key {
    case .p256(let key): self.init(.p256(key), keyID: keyID)
    case .rsa(let key): self.init(.rsa(key), keyID: keyID)
    }
  }

  /// The `alg` of the key's signatures (RFC 7518, section 3.1).
  package var algorithm: String {
    switch form {
    case .p256: "ES256"
    case .rsa: "RS256"
    }
  }

  /// Signs bytes.
  ///
  /// - Throws: ``ClientKeyError/libraryFailed``.
  func sign(_ message: Span<UInt8>) throws(ClientKeyError) -> [UInt8] {
    do {
      return switch form {
      case .p256(let key): try key.sign(message)
      case .rsa(let key): try key.sign(message)
      }
    } catch { throw .libraryFailed }
  }

  /// `true` if the key's public part verifies the signature.
  package func isValidSignature(_ signature: [UInt8], of message: Span<UInt8>) -> Bool {
    switch form {
    case .p256(let key): key.publicKey.isValidSignature(signature, of: message)
    case .rsa(let key): key.isValidSignature(signature, of: message)
    }
  }
}

/// Why a file has no client key that acct can sign with.
///
/// No case holds anything of the key.
package enum ClientKeyError: Error, Equatable, Sendable {
  /// Neither PEM nor JSON.
  case unknownForm
  /// PEM without a key that can be read: damaged, or under a passphrase.
  case pem
  /// A JWK of an elliptic curve that is malformed, or JSON that is.
  case jwk(JWKError)
  /// A member of an RSA JWK is missing or malformed.
  case rsaMember(String)
  /// A key that is neither of P-256 nor RSA, or is meant for another algorithm.
  case unsupported
  /// An RSA modulus of fewer than 2048 bits, or more than 8192.
  case wrongLength
  /// The numbers make no key.
  case inconsistent
  /// A member of a service account's file is missing or malformed.
  case serviceAccount(member: String)
  /// The cryptographic library failed; the key may be good.
  case libraryFailed

  init(_ error: CryptoError) {
    self =
      switch error {
      case .notAKey: .pem
      case .unsuitableParameters: .unsupported
      case .wrongLength: .wrongLength
      case .scalarOutOfRange, .notOnCurve: .inconsistent
      case .authenticationFailed, .notConfigured, .notACertificate, .libraryFailed: .libraryFailed
      }
  }
}

extension ClientKey {
  /// Takes a private JWK of P-256 or RSA (RFC 7518, section 6).
  package init(jwk: JSON) throws(ClientKeyError) {
    guard let members = jwk.objectValue else { throw .jwk(.notAnObject) }
    let keyID = members["kid"]?.stringValue
    switch members["kty"]?.stringValue {
    case "EC": do { self.init(.p256(try JWK(jwk).privateKey()), keyID: keyID) } catch { throw .jwk(error) }
    case "RSA": self.init(.rsa(try Self.rsa(members)), keyID: keyID)
    case nil: throw .jwk(.missing(.kty))
    default: throw .unsupported
    }
  }

  /// Two primes, and no others (RFC 7518, section 6.3.2.7).
  private static func rsa(_ members: JSONObject) throws(ClientKeyError) -> RSAPrivateKey {
    guard members["alg"].map({ $0 == "RS256" }) ?? true, members["use"].map({ $0 == "sig" }) ?? true,
      members["oth"] == nil
    else { throw .unsupported }
    do throws(RSAPrivateKeyError<ClientKeyError>) {
      return try RSAPrivateKey { part throws(ClientKeyError) in
        guard let text = members[part.rawValue]?.stringValue, !text.isEmpty, var bytes = try? Base64URL.decode(text)
        else { throw .rsaMember(part.rawValue) }
        return Secret(consuming: &bytes)
      }
    } catch {
      switch error {
      case .number(let error): throw error
      case .key(.notAKey): throw .inconsistent
      case .key(let error): throw ClientKeyError(error)
      }
    }
  }

  /// The private JWK, with exactly the members that make the key, and its `kid`.
  package var privateJWK: Secret {
    var parts: [Secret] = []
    switch form {
    case .p256(let key):
      let (x, y) = (Base64URL.encode(key.publicKey.x.span), Base64URL.encode(key.publicKey.y.span))
      parts = [Secret(#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","d":""#), text(of: key.rawScalar)]
    case .rsa(let key):
      parts.append(Secret(#"{"kty":"RSA"#))
      for part in RSAPrivateKey.Part.allCases { parts += [Secret(#"","\#(part.rawValue)":""#), text(of: key[part])] }
    }
    parts.append(Secret("\""))
    if let keyID {
      parts.append(Secret(#","kid":"#))
      parts.append(Secret(JSON.string(keyID).serialized()))
    }
    return Secret(joining: parts + [Secret("}")])
  }

  private func text(of number: Secret) -> Secret {
    var text = number.withBytes { Base64URL.encodedBytes($0) }
    return Secret(consuming: &text)
  }
}
