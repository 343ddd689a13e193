package import AcctModel
package import Secrets
package import StrictJSON

/// A JWT that a client's key signs: the client's authentication, or a grant of its own (RFC 7523).
package enum ClientAssertion {
  /// The lifetime of an assertion, in seconds: servers take at most 3 minutes to an hour, and each is used once.
  static let lifetime: Int64 = 120

  /// The type of a JWT that authenticates a client (RFC 7523, section 2.2).
  package static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  /// Makes an assertion for one request.
  ///
  /// - Parameters:
  ///   - key: The client's.
  ///   - issuer: The client, which makes the assertion.
  ///   - subject: The client too, or the user whom it acts for; `nil` leaves that to the server.
  ///   - audience: The server that takes it, by its issuer or its token endpoint.
  ///   - claims: More claims.
  ///   - now: The time at the server.
  ///   - random: 16 fresh random bytes, which become the `jti`.
  /// - Returns: A JWS in compact form.
  /// - Throws: ``ClientKeyError/libraryFailed``.
  package static func make(
    key: ClientKey,
    issuer: String,
    subject: String?,
    audience: String,
    claims: JSONObject = [:],
    now: Timestamp,
    random: [UInt8]
  ) throws(ClientKeyError) -> Secret {
    var header: JSONObject = ["alg": .string(key.algorithm), "typ": "JWT"]
    header["kid"] = key.keyID.map(JSON.string)
    var all: JSONObject = ["iss": .string(issuer)]
    all["sub"] = subject.map(JSON.string)
    all["aud"] = .string(audience)
    all["jti"] = .string(Base64URL.encode(random.span))
    all["iat"] = .number(JSONNumber(now.secondsSince1970))
    all["exp"] = .number(JSONNumber(now.adding(seconds: lifetime).secondsSince1970))
    for (name, value) in claims { all[name] = value }

    var assertion = segment(header) + [UInt8(ascii: ".")] + segment(all)
    let signature = try key.sign(assertion.span)
    assertion.append(UInt8(ascii: "."))
    assertion.append(contentsOf: Base64URL.encodedBytes(signature.span))
    return Secret(consuming: &assertion)
  }

  private static func segment(_ object: JSONObject) -> [UInt8] {
    Base64URL.encodedBytes(JSON.object(object).serialized().span)
  }
}
