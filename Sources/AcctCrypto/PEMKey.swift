package import Secrets

/// A private key that a PEM file holds (RFC 7468), of a kind that acct can sign with.
package enum PEMKey: Sendable {
  case p256(P256PrivateKey)
  case rsa(RSAPrivateKey)

  /// Reads the first key of a file.
  ///
  /// - Throws: ``CryptoError/notAKey`` for a file without a key, or with one under a passphrase;
  ///   ``CryptoError/unsuitableParameters`` for a key of another kind; otherwise the error of the key's own
  ///   initializer.
  package init(_ pem: Secret) throws(CryptoError) {
    let key = try EVPKey(pem: pem)
    if key.isP256, let scalar = key.number("priv") {
      self = .p256(try P256PrivateKey(rawScalar: scalar.padded(to: P256PrivateKey.coordinateCount)))
    } else if key.isRSA {
      do throws(RSAPrivateKeyError<CryptoError>) {
        self = .rsa(
          try RSAPrivateKey { part throws(CryptoError) in
            guard let number = key.number(part.parameter) else { throw .notAKey }
            return number
          }
        )
      } catch {
        switch error {
        case .number(let error), .key(let error): throw error
        }
      }
    } else {
      throw .unsuitableParameters
    }
  }
}

extension RSAPrivateKey.Part {
  /// OpenSSL's name, by EVP_PKEY-RSA(7).
  var parameter: StaticString {
    switch self {
    case .n: "n"
    case .e: "e"
    case .d: "d"
    case .p: "rsa-factor1"
    case .q: "rsa-factor2"
    case .dp: "rsa-exponent1"
    case .dq: "rsa-exponent2"
    case .qi: "rsa-coefficient1"
    }
  }
}

extension Secret {
  /// The number with zeros before it.
  func padded(to count: Int) -> Secret {
    guard self.count < count else { return self }
    return Secret(joining: [Secret(repeatElement(0, count: count - self.count)), self])
  }
}
