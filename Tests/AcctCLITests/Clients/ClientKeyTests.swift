import AcctModel
import AcctCLI
import Secrets
import AcctPorts
import AcctProtocol
import AcctTestSupport
import StrictJSON
import Testing

@Suite("A client with a key")
struct ClientKeyTests {
  private let record = RecordedWorld()

  private static let assertionType =
    "client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"

  @Test(
    "A client's key signs an assertion for each request, and no two are the same",
    arguments: [(MadeUpKeys.p256, "ES256"), (MadeUpKeys.rsa, "RS256")]
  )
  func assertions(pem: String, algorithm: String) async throws {
    record.secretFiles["key"] = pem + "\n"
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
    #expect(
      await record.addDevice(RecordedServer.issuer, "--client-key", "key") == 0,
      "\(record.err)"
    )
    #expect(record.accountFile?["client"] == ["authentication": "private-key"])
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    let key = try ClientKey(pem: Secret(pem))
    var identifiers: Set<String> = []
    for path in ["/start", "/token"] {
      for body in server.bodies(path) {
        #expect(body.contains("client_id=client"))
        #expect(body.contains(Self.assertionType))
        let assertion = try Assertion(in: body, named: "client_assertion")
        #expect(assertion.isSigned(by: key))
        #expect(assertion.header == ["alg": .string(algorithm), "typ": "JWT"])
        let claims = assertion.claims
        #expect(claims["iss"] == "client" && claims["sub"] == "client")
        #expect(claims["aud"] == "https://as.example")
        #expect(claims["iat"] == 1_800_000_000 || claims["iat"] == 1_800_000_005)
        let (issued, end) = (claims["iat"]?.numberValue?.integer ?? 0, claims["exp"]?.numberValue?.integer ?? 0)
        #expect(end - issued == 120)
        identifiers.insert(claims["jti"]?.stringValue ?? "")
      }
    }
    #expect(identifiers.count == 3)
    #expect(!record.filesText.contains("PRIVATE"))
  }

  @Test("A JWK is as good as PEM, and its kid is sent")
  func jwk() async throws {
    for pem in [MadeUpKeys.p256, MadeUpKeys.rsa] {
      let record = RecordedWorld()
      let key = try ClientKey(pem: Secret(pem), keyID: "key \"1\"")
      record.secretFiles["key"] = key.privateJWK.withBytes { span in
        String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
      }
      let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
      #expect(
        await record.addDevice(RecordedServer.issuer, "--client-key", "key") == 0,
        "\(record.err)"
      )
      let body = try #require(server.bodies("/token").last)
      let assertion = try Assertion(in: body, named: "client_assertion")
      #expect(assertion.header["kid"] == "key \"1\"")
      #expect(assertion.isSigned(by: key))
    }
  }

  @Test(
    "A key that can't be used is rejected with the reason, before anything is requested",
    arguments: [
      ("nothing", "neither PEM nor JSON"), ("", "neither PEM nor JSON"),
      (MadeUpKeys.shortRSA, "2048"), (MadeUpKeys.ed25519, "neither a P-256 key"),
      (MadeUpKeys.locked, "passphrase"), ("-----BEGIN PRIVATE KEY-----\n", "damaged"),
      ("{}", "no kty"), (#"{"kty":"RSA"}"#, "n is missing"), (#"{"kty":"oct"}"#, "neither a P-256"),
      ("{", "truncated"), (MadeUpKeys.serviceAccount(["token_uri": .null]), "token_uri"),
      (MadeUpKeys.serviceAccount(["private_key": "x"]), "damaged"),
    ]
  )
  func unusable(contents: String, reason: String) async {
    record.secretFiles["key"] = contents
    #expect(await record.addDevice(RecordedServer.issuer, "--client-key", "key") == 65)
    #expect(record.err.first?.contains(reason) == true, "\(record.err)")
    #expect(record.requests.isEmpty)
  }

  @Test("A key whose numbers don't belong together is rejected")
  func inconsistent() throws {
    let key = try ClientKey(pem: Secret(MadeUpKeys.rsa))
    let json = try key.privateJWK.withBytes { try JSON(parsing: $0) }
    var members = try #require(json.objectValue)
    members["d"] = members["n"]
    members["p"] = members["q"]
    #expect(throws: ClientKeyError.inconsistent) { try ClientKey(jwk: .object(members)) }
  }
}

/// A signed JWT that a request carried.
struct Assertion {
  let header: JSON
  let claims: JSONObject
  private let signed: [UInt8]
  private let signature: [UInt8]

  init(in form: String, named name: String) throws {
    let text = try #require(try QueryParameters(form)[name])
    let parts = text.split(separator: ".").map(String.init)
    try #require(parts.count == 3)
    header = try JSON(parsing: try Base64URL.decode(parts[0]))
    claims = try #require(try JSON(parsing: try Base64URL.decode(parts[1])).objectValue)
    signed = Array("\(parts[0]).\(parts[1])".utf8)
    signature = try Base64URL.decode(parts[2])
  }

  func isSigned(by key: ClientKey) -> Bool { key.isValidSignature(signature, of: signed.span) }
}

extension JSON {
  fileprivate subscript(name: String) -> JSON? { objectValue?[name] }
}
