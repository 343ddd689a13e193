import Release
import AcctCrypto
import AcctModel
import AcctProtocol
import StrictJSON
import Testing

private func token(_ segments: String..., raw: [String] = []) throws -> Token {
  let encoded = segments.map { Base64URL.encode(Array($0.utf8).span) }
  return try Token((encoded + raw).joined(separator: "."))
}

private func claims(_ text: String) throws -> JWTClaims {
  try JWT.decode(try token(#"{"alg":"ES256"}"#, text, "signature")).claims
}

@Suite("JSON Web Tokens")
struct JWTTests {
  @Test("The token of RFC 7515 is decoded, and its signature is its key's")
  func example() throws {
    let example = try AcctProtocolTests.example("rfc7515-a3")
    let text = try example.text("token")
    let jwt = try JWT.decode(try Token(text))
    #expect(jwt.header == ["alg": "ES256"])
    #expect(jwt.claims.issuer == "joe")
    #expect(jwt.claims.expiry?.secondsSince1970 == 1_300_819_380)
    #expect(jwt.claims.object["http://example.com/is_root"] == true)
    let jwk = try #require(example["key"]?.objectValue)
    let key = try P256PublicKey(x: Base64URL.decode(jwk.text("x")), y: Base64URL.decode(jwk.text("y")))
    #expect(try isSigned(text, by: key))
  }

  @Test(
    "An expiry is an integer, a float or a string of one, and otherwise missing",
    arguments: [
      ("1300819380", 1_300_819_380), ("1300819380.9", 1_300_819_380),
      ("1.30081938e9", 1_300_819_380),
      (#""1300819380""#, 1_300_819_380), (#""1300819380.5""#, 1_300_819_380),
      ("1300819380000", 1_300_819_380), ("0", 0), ("-1", -1), ("-5e17", -62_167_219_200),
      (#""-1e300""#, -62_167_219_200), ("1e400", nil), ("-1e400", nil), (#""soon""#, nil),
      (#""""#, nil), (#"" 1300819380""#, nil), (#""0x10""#, nil), (#""inf""#, nil), ("true", nil),
      ("null", nil), ("[1300819380]", nil), ("{}", nil), ("1e300", nil),
    ] as [(String, Int64?)]
  )
  func expiry(text: String, expected: Int64?) throws {
    #expect(try claims(#"{"exp":\#(text)}"#).expiry?.secondsSince1970 == expected)
  }

  @Test("A token without an expiry has none")
  func noExpiry() throws {
    #expect(try claims("{}").expiry == nil)
  }

  @Test("A claim is read if it has its type")
  func typed() throws {
    let all = try claims(
      #"{"sub":"did:plc:x","iss":"https://as","aud":"did:web:pds","client_id":"c","scope":"a b","#
        + #""cnf":{"jkt":"t"}}"#
    )
    #expect(all.subject == "did:plc:x")
    #expect(all.issuer == "https://as")
    #expect(all.audiences == ["did:web:pds"])
    #expect(all.clientID == "c")
    #expect(all.scope == "a b")
    #expect(all.confirmationThumbprint == "t")
    let wrong = try claims(#"{"sub":[1],"iss":null,"aud":{},"client_id":[],"scope":[],"cnf":"t"}"#)
    #expect(wrong.subject == nil && wrong.issuer == nil && wrong.audiences == [])
    #expect(wrong.clientID == nil && wrong.scope == nil && wrong.confirmationThumbprint == nil)
    #expect(try claims(#"{"aud":["a",1,"b"]}"#).audiences == ["a", "b"])
    #expect(try claims(#"{"aud":[]}"#).audiences == [])
  }

  @Test(
    "A token that is not a JWT is opaque",
    arguments: [
      "a", "abc.def", "a.b.c", "Fe26.2*1*abc", "eyJhbGciOiJFUzI1NiJ9", "...", "MTIz.MTIz.MTIz",
      "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU", "eyJhbGciOiJFUzI1NiJ9=.e30.e30",
    ]
  )
  func opaque(text: String) throws {
    #expect(JWT.claims(ofToken: try Token(text)) == .opaque)
  }

  @Test("An encrypted token is opaque, as is one of five segments without enc")
  func encrypted() throws {
    for header in [#"{"alg":"dir","enc":"A256GCM"}"#, #"{"alg":"ES256"}"#] {
      #expect(JWT.claims(ofToken: try token(header, raw: ["", "a", "b", "c"])) == .opaque)
    }
  }

  @Test("A broken JWT is opaque, and an error where a JWT is required")
  func broken() throws {
    let header = #"{"alg":"ES256"}"#
    for (token, error) in [
      (try token(header, "{}"), .wrongSegmentCount(2)),
      (try token(header, "{}", "x", "x"), .wrongSegmentCount(4)),
      (try token(header, raw: ["e30=", "AA"]), .notBase64URL(.claims, .padding)),
      (try token(header, "{}", raw: ["AB"]), .notBase64URL(.signature, .strayBits)),
      (try token(header, "{}", raw: ["AA~WyJhIl0~"]), .notBase64URL(.signature, .character)),
      (try token(header, "{", "x"), .notJSON(.claims, .truncated)),
      (try token(header, "[]", "x"), .notAnObject(.claims)),
      (try token(header, #"{"exp":1,"exp":2}"#, "x"), .notJSON(.claims, .duplicateMember("exp"))),
      (try token(#"{"a":1,"a":2}"#, "{}", "x"), .notJSON(.header, .duplicateMember("a"))),
    ] as [(Token, JWTError)] {
      #expect(JWT.claims(ofToken: token) == .opaque)
      #expect(throws: error) { try JWT.decode(token) }
    }
  }

  @Test("A subject that is a number is its digits")
  func numericSubject() throws {
    for (claims, subject) in [
      (#"{"sub":17}"#, "17"), (#"{"sub":98765432109876543210}"#, "98765432109876543210"), (#"{"sub":"u-17"}"#, "u-17"),
      (#"{"sub":1.5}"#, nil), (#"{"sub":["17"]}"#, nil),
    ] as [(String, String?)] {
      #expect(try JWT.decode(try token(#"{"alg":"ES256"}"#, claims, "x")).claims.subject == subject)
    }
  }

  @Test("An opaque token where a JWT is required is an error that says why")
  func required() throws {
    #expect(throws: JWTError.wrongSegmentCount(1)) { try JWT.decode(try Token("a")) }
    #expect(throws: JWTError.notBase64URL(.header, .length)) {
      try JWT.decode(try Token("a.b.c"))
    }
    #expect(throws: JWTError.notAnObject(.header)) { try JWT.decode(try Token("MTIz.e30.AA")) }
  }

  @Test("An unsigned token is decoded, since no claim is trusted anyway")
  func unsigned() throws {
    let unsigned = try token(#"{"alg":"none"}"#, #"{"sub":"x"}"#, "")
    #expect(try JWT.decode(unsigned).claims.subject == "x")
  }
}

/// Whether a compact JWS is signed by a key.
func isSigned(_ jws: String, by key: P256PublicKey) throws -> Bool {
  let end = try #require(jws.lastIndex(of: "."))
  let signature = try Base64URL.decode(String(jws[jws.index(after: end)...]))
  return key.isValidSignature(signature, of: Array(jws[..<end].utf8).span)
}
