import AcctModel
package import AcctProtocol
package import StrictJSON

/// Describes the flaw in JSON.
package func words(for error: JSONError) -> String {
  switch error {
  case .tooLarge: "the JSON is larger than 1 MiB"
  case .tooDeep: "the JSON is nested more than \(JSON.maximumDepth) deep"
  case .notUTF8: "the JSON is not UTF-8"
  case .truncated: "the JSON is truncated"
  case .duplicateMember(let name): "the JSON has two members named \(printable(name))"
  case .unexpected(let offset): "not JSON: unexpected byte at offset \(offset)"
  }
}

/// Describes the flaw in a JWK.
package func words(for error: JWKError) -> String {
  switch error {
  case .notJSON(let error): words(for: error)
  case .notAnObject: "it is not a JSON object"
  case .missing(let member): "it has no \(member.rawValue)"
  case .notAString(let member): "its \(member.rawValue) is not a string"
  case .unsupportedKeyType: "its kty is not EC"
  case .unsupportedCurve: "its crv is not P-256"
  case .unsupportedAlgorithm: "its alg is not ES256"
  case .unsupportedUse: "its use is not sig"
  case .notBase64URL(let member, let fault):
    switch fault {
    case .padding: "its \(member.rawValue) is padded with =, which base64url is not (RFC 7515): leave out the ="
    case .strayBits: "its \(member.rawValue) has stray bits in its last character"
    default: "its \(member.rawValue) is not base64url"
    }
  case .wrongLength(let member, let count, let startsWithZero):
    "its \(member.rawValue) has \(count) \(count == 1 ? "byte" : "bytes"), and must have 32 (RFC 7518, section 6.2)"
      + (count < 32
        ? ": zero bytes at its beginning belong to it"
        : startsWithZero ? ": leave out the zero byte at its beginning" : "")
  case .scalarIsZero: "its d is 0"
  case .scalarTooLarge: "its d is not below the order of the curve"
  case .coordinatesSwapped: "its x and y are swapped"
  case .coordinateMismatch(let member): "its \(member.rawValue) does not match its d"
  case .notOnCurve: "its x and y are not a point of P-256"
  case .unsupportedStorage: "it is in a device, and does not say where there"
  case .libraryFailed: "the cryptographic library failed"
  }
}

/// Describes the flaw in a client key.
package func words(for error: ClientKeyError) -> String {
  switch error {
  case .unknownForm: "it is neither PEM nor JSON"
  case .pem: "its PEM is damaged, or under a passphrase"
  case .jwk(let error): words(for: error)
  case .rsaMember(let member): "its \(member) is missing or not base64url"
  case .unsupported: "it is neither a P-256 key for ES256 nor an RSA key for RS256"
  case .wrongLength: "an RSA key has 2048 to 8192 bits"
  case .inconsistent: "its numbers make no key"
  case .serviceAccount(let member): "the service account's \(member) is missing or malformed"
  case .libraryFailed: "the cryptographic library failed"
  }
}

/// Describes the flaw in a client certificate or its key.
package func words(for error: CertifiedKeyError) -> String {
  switch error {
  case .certificate: "there is no certificate in PEM, or it is damaged"
  case .key: "its key is not in PEM, damaged, or under a passphrase"
  case .unsupportedKey: "its key is neither RSA nor of P-256 or P-384"
  case .keyLength: "an RSA key has 2048 to 8192 bits"
  case .otherKey: "the key is that of another certificate"
  case .libraryFailed: "the cryptographic library failed"
  }
}
