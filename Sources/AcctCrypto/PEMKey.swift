import COpenSSL
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

/// An RSA private key of two primes (RFC 8017, section 3.2), checked when it was made.
package struct RSAPrivateKey: Sendable {
  /// A number of the key, by its name in a JWK (RFC 7518, section 6.3).
  package enum Part: String, Sendable, CaseIterable { case n, e, d, p, q, dp, dq, qi }

  /// Big-endian, without zeros before the first digit, in the order of ``Part``.
  private let numbers: [Secret]

  /// The lengths of a modulus, in bits: shorter ones are weak (RFC 7518, section 3.3), longer ones are slow.
  package static let bits = 2048...8192

  /// Makes a key of its numbers, if they belong together: a signature that it makes has to be valid.
  ///
  /// - Parameter number: Gives each number, big-endian.
  /// - Throws: ``CryptoError/wrongLength`` for a modulus outside ``bits``, ``CryptoError/notAKey``,
  ///   ``CryptoError/notConfigured``.
  package init<Failure: Error>(number: (Part) throws(Failure) -> Secret) throws(RSAPrivateKeyError<Failure>) {
    var numbers: [Secret] = []
    for part in Part.allCases {
      do throws(Failure) { numbers.append(try number(part).withoutLeadingZeros) } catch { throw .number(error) }
    }
    self.numbers = numbers
    do throws(CryptoError) { try check() } catch { throw .key(error) }
  }

  /// A number of the key, big-endian.
  package subscript(part: Part) -> Secret {
    switch part {
    case .n: numbers[0]
    case .e: numbers[1]
    case .d: numbers[2]
    case .p: numbers[3]
    case .q: numbers[4]
    case .dp: numbers[5]
    case .dq: numbers[6]
    case .qi: numbers[7]
    }
  }

  private func check() throws(CryptoError) {
    let bits = self[.n].withBytes { $0.count == 0 ? 0 : $0.count * 8 - $0[0].leadingZeroBitCount }
    guard Self.bits.contains(bits) else { throw .wrongLength }
    let longest = self[.n].count
    guard numbers.allSatisfy({ (1...longest).contains($0.count) }), self[.e].count <= 8 else { throw .notAKey }
    let probe = Array("acct".utf8)
    guard let signature = try? sign(probe.span), isValidSignature(signature, of: probe.span) else {
      throw Library.isConfigured ? .notAKey : .notConfigured
    }
  }

  /// Signs with RSASSA-PKCS1-v1_5 and SHA-256 (RFC 7518, section 3.3).
  ///
  /// - Throws: ``CryptoError/libraryFailed`` or ``CryptoError/notConfigured``.
  package func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] { try loaded().sign(message) }

  /// `true` if a signature is one of this key, by its public part.
  package func isValidSignature(_ signature: [UInt8], of message: Span<UInt8>) -> Bool {
    (try? loaded())?.isValidSignature(signature, of: message) ?? false
  }

  private func loaded() throws(CryptoError) -> EVPKey {
    try EVPKey(rsa: Part.allCases.map { ($0.parameter, self[$0]) })
  }
}

/// Why there is no RSA key: a number is not available, or the numbers form no key.
package enum RSAPrivateKeyError<Failure: Error>: Error {
  case number(Failure)
  case key(CryptoError)
}

extension Secret {
  fileprivate var withoutLeadingZeros: Secret {
    withBytes { bytes in
      let first = bytes.indices.first { bytes[$0] != 0 } ?? bytes.count
      return Secret(bytes.extracting(first..<bytes.count))
    }
  }
}
