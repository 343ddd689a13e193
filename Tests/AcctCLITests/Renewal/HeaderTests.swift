import AcctModel
import AcctTestSupport
import StrictJSON
import Testing

@Suite("acct header")
struct HeaderTests {
  let record = RecordedWorld()

  @Test("The command header prints the authorization and a proof, and nothing else")
  func dpop() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.acct("header", "https://pds.example/xrpc/method?limit=1") == 0)
    let lines = record.out.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("Authorization: DPoP eyJ") == true)
    #expect(lines.last?.hasPrefix("DPoP: eyJ") == true)
    #expect(record.out.hasSuffix("\n"))
    #expect(record.err.isEmpty)
  }

  @Test("The command header prints a bearer token with a URL or without")
  func bearer() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("header") == 0)
    #expect(record.out == "Authorization: Bearer opaque-bob\n")
    #expect(await record.acct("header", "POST", "https://issuer.example/x") == 0)
    #expect(record.out == "Authorization: Bearer opaque-bob\n")
  }

  @Test("The command header requires the URL for a DPoP account, since a proof is for one")
  func urlNeeded() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.acct("header") == 64)
    #expect(record.out.isEmpty)
  }

  @Test("The option --bearer is bad usage for a key-bound token, and no change for a bearer token")
  func asBearer() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.acct("header", "--bearer", "https://pds.example/") == 64)
    #expect(record.out.isEmpty)
    #expect(
      record.err == [
        "acct: the token of alice.example.com is bound to a DPoP key and can't be sent as a bearer " + "token",
        "acct: hint: leave out --bearer",
      ]
    )
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("header", "--bearer") == 0)
    #expect(record.out == "Authorization: Bearer opaque-bob\n")
  }

  @Test(
    "The command header rejects every origin but the account's own",
    arguments: [
      "https://pds.example.evil.test/", "https://pds.example@evil.test/", "https://pds.example./",
      "https://pds.example:8443/", "http://pds.example/", "https://xn--pds-example.test/", "https://pds.exаmple/",
      "https://evil.test\\@pds.example/", "https://pds%2Eexample/", "https://user:pass@pds.example/",
      "https://evil.test/?https://pds.example/", "http://localhost/",
    ]
  )
  func otherOrigins(url: String) async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.acct("header", url) == 8)
    #expect(record.out.isEmpty)
    #expect(!record.err.joined().contains("eyJ"))
  }

  @Test(
    "The command header accepts another spelling of the same origin",
    arguments: ["https://PDS.Example", "HTTPS://pds.example:443/a", "https://pds.example/a#b"]
  )
  func sameOrigin(url: String) async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.acct("header", url) == 0)
  }

  @Test(
    "The command header reports an invalid URL as bad usage",
    arguments: ["pds.example", "/path", "ftp://pds.example/", "https://", "https://pds.example/a b"]
  )
  func malformed(url: String) async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.acct("header", url) == 64)
  }

  @Test("The command header rejects a method that would add header lines")
  func method() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("header", "GET\r\nX: y", "https://issuer.example/") == 64)
  }

  @Test("The command header prints a config for curl")
  func curl() async {
    let handoff = Handoffs.bearer(changing: ["access_token": "a\"b\\c"])
    #expect(await record.add(handoff) == 0)
    #expect(await record.acct("header", "--format", "curl") == 0)
    #expect(record.out == #"header = "Authorization: Bearer a\"b\\c""# + "\n")
  }

  @Test("The command header prints JSON with the keys of the contract")
  func json() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("header", "--json", "PUT", "https://issuer.example/a?b") == 0)
    let object = record.json?.objectValue
    #expect(object?.names == ["version", "account", "accountName", "method", "url", "headers", "expiresAt"])
    #expect(object?["accountName"] == "bob.example.com")
    #expect(object?["method"] == "PUT")
    #expect(object?["url"] == "https://issuer.example/a?b")
    #expect(
      object?["headers"] == [["name": "Authorization", "value": "Bearer opaque-bob"]]
    )
    #expect(object?["expiresAt"] == "2027-01-15T09:00:00Z")
  }

  @Test("The command header prints a map of names to values, as other programs read headers")
  func map() async {
    let handoff = Handoffs.bearer(changing: ["access_token": "a\"b\\c"])
    #expect(await record.add(handoff) == 0)
    #expect(await record.acct("header", "--format", "map", "https://issuer.example/") == 0)
    #expect(record.out == #"{"Authorization":"Bearer a\"b\\c"}"# + "\n")
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.acct("header", "--format", "map", "https://pds.example/") == 0)
    let members = record.json?.objectValue
    #expect(members?.names == ["Authorization", "DPoP"])
    #expect(members?["Authorization"]?.stringValue?.hasPrefix("DPoP eyJ") == true)
  }

  @Test("A token that can't be renewed needs a new sign-in at its end")
  func toItsEnd() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.now += 3599
    #expect(await record.acct("header") == 0)
    record.now += 1
    #expect(await record.acct("header") == 4)
    #expect(record.out.isEmpty)
  }

  @Test("An account whose secrets are missing needs a new sign-in, and header says so")
  func signedOut() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    try await record.keyring.lose()
    #expect(await record.acct("header", "https://pds.example/") == 4)
    #expect(record.err.first?.contains("signed out") == true)
  }

  @Test("A proof from header contains the account's key, method and URL")
  func proof() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.acct("header", "POST", "https://pds.example/xrpc/a?q=1#f") == 0)
    let proof = try #require(record.out.split(separator: " ").last).dropLast()
    let claims = try JSON(parsing: base64URLDecoded(proof.split(separator: ".")[1])).objectValue
    #expect(claims?["htm"] == "POST")
    #expect(claims?["htu"] == "https://pds.example/xrpc/a")
    #expect(claims?["iat"] == 1_800_000_000)
    #expect(claims?["exp"] == nil)
  }
}

/// The bytes of base64url without padding.
func base64URLDecoded(_ text: Substring) -> [UInt8] {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
  var bits = 0
  var count = 0
  var bytes: [UInt8] = []
  for character in text {
    bits = (bits << 6 | (alphabet.firstIndex(of: character) ?? 0)) & 0xFFFF
    count += 6
    guard count >= 8 else { continue }
    count -= 8
    bytes.append(UInt8(bits >> count & 255))
  }
  return bytes
}
