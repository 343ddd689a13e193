import Release
import AcctCrypto
import AcctModel
import AcctProtocol
import StrictJSON
import Testing

@Suite("DPoP proofs")
struct DPoPProofTests {
  private let key: DPoPKey
  private let publicKey: P256PublicKey
  private let url: HTTPURL
  private let now: Timestamp
  private let random = (0..<12).map { UInt8($0) }

  init() throws {
    let jwk = try #require(try example("rfc7515-a3")["key"]?.objectValue)
    key = try DPoPKey(jwk: .object(jwk))
    publicKey = try P256PublicKey(x: Base64URL.decode(jwk.text("x")), y: Base64URL.decode(jwk.text("y")))
    url = try HTTPURL("https://PDS.example:443/xrpc/a?b=c#d")
    now = try Timestamp("2026-01-31T09:05:07Z")
  }

  @Test("A proof has the members of section 4.2, and no others")
  func minimal() async throws {
    let proof = try await DPoPProof.make(key: key, method: "GET", url: url, issuedAt: now, random: random)
    let jwt = try JWT.decode(try Token(proof))
    #expect(jwt.header == ["typ": "dpop+jwt", "alg": "ES256", "jwk": key.publicJWK])
    #expect(jwt.header["jwk"]?.objectValue?["d"] == nil)
    #expect(
      jwt.claims.object == [
        "jti": "AAECAwQFBgcICQoL", "htm": "GET", "htu": "https://pds.example/xrpc/a",
        "iat": 1_769_850_307,
      ]
    )
    #expect(try isSigned(proof, by: publicKey))
  }

  @Test("A proof contains a nonce and an access token's hash if they are given")
  func full() async throws {
    let vector = try example("rfc9449")
    let proof = try await DPoPProof.make(
      key: key,
      method: "post",
      url: url,
      issuedAt: now,
      random: random,
      nonce: "n-1~",
      accessToken: try Token(vector.text("accessToken"))
    )
    let claims = try JWT.decode(try Token(proof)).claims.object
    #expect(claims.names == ["jti", "htm", "htu", "iat", "nonce", "ath"])
    #expect(claims["htm"] == "post")
    #expect(claims["nonce"] == "n-1~")
    #expect(try claims["ath"]?.stringValue == vector.text("ath"))
    #expect(try isSigned(proof, by: publicKey))
  }

  @Test("The proofs by a prepared key are those of the key, each with the hash of its own token")
  func prepared() async throws {
    let prepared = key.prepared(for: try Token("one"))
    for token in ["one", "two", "one", nil] {
      let token = try token.map { try Token($0) }
      var proofs: [String] = []
      for key in [key, prepared] {
        proofs.append(
          try await DPoPProof.make(key: key, method: "GET", url: url, issuedAt: now, random: random, accessToken: token)
        )
      }
      let parts = proofs.map { $0.split(separator: ".").prefix(2) }
      #expect(parts[0] == parts[1])
      #expect(try isSigned(proofs[1], by: publicKey))
    }
  }

  @Test("The proof of RFC 9449 is signed by its key")
  func example9449() throws {
    let vector = try example("rfc9449")
    let jwk = try #require(vector["key"]?.objectValue)
    let key = try P256PublicKey(x: Base64URL.decode(jwk.text("x")), y: Base64URL.decode(jwk.text("y")))
    #expect(try isSigned(vector.text("proof"), by: key))
  }

  @Test("A proof is not made from fewer than 96 random bits")
  func random11() async throws {
    await #expect(throws: DPoPProof.Failure.tooFewRandomBytes) {
      try await DPoPProof.make(key: key, method: "GET", url: url, issuedAt: now, random: Array(random[..<11]))
    }
  }

  @Test("A method or nonce in a proof is escaped and stays within its string")
  func escaping() async throws {
    let proof = try await DPoPProof.make(
      key: key,
      method: #"G","x":""#,
      url: url,
      issuedAt: now,
      random: random,
      nonce: "\"\\\n"
    )
    let claims = try JWT.decode(try Token(proof)).claims.object
    #expect(claims.count == 5)
    #expect(claims["htm"] == #"G","x":""#)
    #expect(claims["nonce"] == "\"\\\n")
  }
}
