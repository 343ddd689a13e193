import AcctModel
import AcctCrypto
import Secrets
import AcctProtocol
import StrictJSON
import Testing

@Suite("DPoP keys")
struct DPoPKeyTests {
  /// The key of RFC 7515, A.3, with some members changed or, by `nil`, left out.
  private static func jwk(_ changes: [String: JSON?] = [:]) throws -> JSON {
    var members = try #require(try example("rfc7515-a3")["key"]?.objectValue)
    for (name, value) in changes { members[name] = value }
    return .object(members)
  }

  @Test("The keys of RFC 7515 and RFC 7517 are read, and written as they were")
  func examples() throws {
    var second = try example("rfc7517-a2")
    #expect(throws: JWKError.unsupportedUse) { try DPoPKey(jwk: .object(second)) }
    second["use"] = nil
    for jwk in [try Self.jwk(), .object(second)] {
      let key = try DPoPKey(jwk: jwk)
      let members = try #require(jwk.objectValue)
      for name in ["kty", "crv", "x", "y"] {
        #expect(key.publicJWK.objectValue?[name] == members[name])
      }
      #expect(key.publicJWK.objectValue?["d"] == nil)
    }
  }

  @Test("The thumbprint of RFC 9449 is that of its key")
  func thumbprint() throws {
    let example = try example("rfc9449")
    let jwk = try #require(example["key"]?.objectValue)
    let key = try P256PublicKey(x: Base64URL.decode(jwk.text("x")), y: Base64URL.decode(jwk.text("y")))
    #expect(try key.thumbprint == example.text("thumbprint"))
    #expect(
      try String(decoding: key.jwk.serialized(), as: UTF8.self)
        == #"{"crv":"P-256","kty":"EC","x":"\#(jwk.text("x"))","y":"\#(jwk.text("y"))"}"#
    )
  }

  @Test("A key is read bare, wrapped, and wrapped with a type")
  func wrappings() throws {
    let bare = try Self.jwk()
    let expected = try DPoPKey(jwk: bare).thumbprint
    #expect(try DPoPKey(jwk: ["jwk": bare]).thumbprint == expected)
    #expect(
      try DPoPKey(jwk: ["jwk": bare, "__type": "stored_dpop_key"]).thumbprint == expected
    )
    #expect(throws: JWKError.missing(.kty)) { try DPoPKey(jwk: ["jwk": ["jwk": bare]]) }
  }

  @Test("A key's additional members are ignored")
  func tolerated() throws {
    let jwk = try Self.jwk(["alg": "ES256", "use": "sig", "kid": "1", "key_ops": ["sign"], "ext": true, "iat": 1])
    _ = try DPoPKey(jwk: jwk)
  }

  @Test("Every fault of a JWK is found and named", arguments: JWKFault.all)
  func faults(fault: JWKFault) throws {
    let jwk = try Self.jwk(fault.changes)
    #expect(throws: fault.error) { try DPoPKey(jwk: jwk) }
    #expect(throws: fault.error) { try DPoPKey(jwk: ["jwk": jwk]) }
    #expect(throws: fault.error) { try DPoPKey(privateJWK: Secret(jwk.serialized())) }
  }

  @Test("A JWK that is not an object is rejected", arguments: [.null, [], "x", 1, ["jwk": "x"]] as [JSON])
  func notAnObject(json: JSON) {
    #expect(throws: JWKError.notAnObject) { try DPoPKey(jwk: json) }
  }

  @Test("A JWK with a repeated member, or that is not JSON, is rejected")
  func doubled() throws {
    let text = String(decoding: try Self.jwk().serialized(), as: UTF8.self)
    let doubled = #"{"d":"AA","# + text.dropFirst()
    #expect(throws: JWKError.notJSON(.duplicateMember("d"))) { try DPoPKey(privateJWK: Secret(doubled)) }
    #expect(throws: JWKError.notJSON(.truncated)) { try DPoPKey(privateJWK: Secret(text.dropLast().utf8)) }
  }

  @Test("A generated key is read from its private JWK, which has five members")
  func roundTrip() throws {
    for _ in 0..<100 {
      let key = try DPoPKey.generate()
      let stored = try #require(key.privateJWK)
      #expect(try DPoPKey(privateJWK: stored).thumbprint == key.thumbprint)
      let parsed = try stored.withBytes { try JSON(parsing: $0) }
      #expect(parsed.objectValue?.names == ["kty", "crv", "x", "y", "d"])
    }
  }

  @Test("A printed key shows nothing of its scalar")
  func redaction() throws {
    let key = try DPoPKey(jwk: Self.jwk())
    var dumped = ""
    dump(key, to: &dumped)
    dumped += "\(key)" + String(reflecting: key)
    #expect(!dumped.contains("jpsQnnGQmL"))
    #expect(dumped.contains("redacted"))
  }
}
