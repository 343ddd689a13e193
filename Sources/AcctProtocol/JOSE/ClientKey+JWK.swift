import AcctCrypto
import AcctModel
package import Secrets
package import StrictJSON

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
