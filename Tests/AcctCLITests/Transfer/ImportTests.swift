import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("acct add --import")
struct ImportTests {
  let record = RecordedWorld()

  @Test("An import stores each secret in an item of its own, and none in a file")
  func stores() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(record.keyring.count == 6)
    #expect(record.accountFiles == 1)
    for marker in ["eyJ", "refresh-alice", "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"] {
      #expect(!record.filesText.contains(marker))
    }
  }

  @Test("An import makes the account active unless --no-switch is given")
  func activates() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.add(Handoffs.bearer(), "--no-switch") == 0)
    #expect(await record.acct("status", "--json") == 0)
    #expect(record.json?.objectValue?["account"]?.objectValue?["name"] == "alice.example.com")
  }

  @Test("An import of the same identity renews the account, which keeps its id and name")
  func renews() async throws {
    #expect(await record.add(Handoffs.bearer(), "--name", "work") == 0)
    #expect(await record.acct("list", "--json") == 0)
    let before = try #require(record.json?.objectValue?["accounts"]?.arrayValue?.first?.objectValue)
    #expect(await record.add(Handoffs.bearer(changing: ["access_token": "newer"])) == 0)
    #expect(await record.acct("list", "--json") == 0)
    let accounts = try #require(record.json?.objectValue?["accounts"]?.arrayValue)
    #expect(accounts.count == 1)
    #expect(accounts[0].objectValue?["id"] == before["id"])
    #expect(accounts[0].objectValue?["name"] == "work")
    #expect(await record.acct("token") == 0)
    #expect(record.out == "newer\n")
  }

  @Test("An import under another account's name is rejected and keeps the old credentials")
  func renewsNothingUnderATakenName() async {
    #expect(await record.add(Handoffs.bearer(), "--name", "work") == 0)
    #expect(await record.add(Handoffs.dpop(), "--name", "home") == 0)
    let newer = Handoffs.bearer(changing: ["access_token": "newer"])
    #expect(await record.add(newer, "--name", "home") == 64)
    #expect(await record.acct("token", "-a", "work") == 0)
    #expect(record.out == "opaque-bob\n")
  }

  @Test("An import removes a refresh token and a key that the new credentials lack")
  func forgetsStale() async {
    #expect(
      await record.add(Handoffs.dpop(changing: ["clientId": "c", "issuer": "https://i.example"])) == 0
    )
    let bearer = Handoffs.bearer(changing: ["did": "did:plc:alice", "clientId": "c", "issuer": "https://i.example"])
    #expect(await record.add(bearer) == 0)
    #expect(record.accountFiles == 1)
    #expect(await record.acct("key", "show") == 1)
  }

  @Test("An import keeps two clients of one person apart and finds a free name")
  func twoClients() async {
    #expect(await record.add(Handoffs.dpop(changing: ["clientId": "one"])) == 0)
    #expect(await record.add(Handoffs.dpop(changing: ["clientId": "two"])) == 0)
    #expect(await record.acct("list", "--json") == 0)
    let names = record.json?.objectValue?["accounts"]?.arrayValue?.map { $0.objectValue?["name"] }
    #expect(names == ["alice.example.com", "alice.example.com-2"])
  }

  @Test("An import accepts both spellings and a wrapped key")
  func spellings() async {
    let wrapped: JSON = ["jwk": Handoffs.key, "__type": "stored_dpop_key"]
    #expect(await record.add(Handoffs.dpop(changing: ["dpopKey": wrapped])) == 0)
    #expect(await record.acct("key", "thumbprint") == 0)
    #expect(record.out == "\(Handoffs.thumbprint)\n")
  }

  @Test(
    "An import accepts times as RFC 3339, seconds, milliseconds and strings of them",
    arguments: [
      "2027-01-15T09:00:00Z", 1_800_003_600, 1_800_003_600_000, "1800003600", "2027-01-15T10:00:00+01:00",
    ] as [JSON]
  )
  func times(expiresAt: JSON) async {
    #expect(await record.add(Handoffs.bearer(changing: ["expiresAt": expiresAt])) == 0)
    #expect(await record.acct("status", "--json") == 0)
    #expect(
      record.json?.objectValue?["account"]?.objectValue?["expiresAt"] == "2027-01-15T09:00:00Z"
    )
  }

  @Test("An import takes a time too early to be written as long past", arguments: ["expiresAt", "expires_in"])
  func longPast(member: String) async {
    let past = Handoffs.bearer(changing: [member: -100_000_000_000_000])
    #expect(await record.add(past) == 0)
    #expect(await record.acct("status", "--json") == 4)
    let account = record.json?.objectValue?["account"]?.objectValue
    #expect(account?["expiresAt"] == "0000-01-01T00:00:00Z")
  }

  @Test("An import takes the first audience that is an origin as the token's origin")
  func audiences() async {
    let token = Handoffs.token(["aud": ["notes", "http://plain.example", "https://rs.example/api"]])
    #expect(await record.add(Handoffs.bearer(changing: ["access_token": .string(token)])) == 0)
    #expect(await record.acct("header", "https://rs.example/api") == 0)
  }

  @Test(
    "An import is not refused for what it says about its token",
    arguments: [
      ("expiresAt", "soon"), ("expiresAt", "0x70000000"), ("expires_in", "soon"), ("expires_in", 0),
      ("refresh_token", ""),
      ("scope", ["notes:read", "notes:write"]), ("scope", 7), ("token_type", ""), ("display_name", 7), ("handle", ""),
      ("id_token", "unreadable"), ("access_token", "eyJhIjoxfQ.eyJhIjoxfQ"),
      ("access_token", "eyJhIjoxfQ.eyJhIjoxfQ.c2ln.c2ln"),
      ("access_token", "eyJ1c2VyX2lkIjo3fQ.aSgfIg.k2Vb0mYx7Qd1TtqW9sN4"),
    ] as [(String, JSON)]
  )
  func blemished(member: String, value: JSON) async {
    var changes: [String: JSON] = ["expires_in": nil]
    changes[member] = value
    #expect(await record.add(Handoffs.bearer(changing: changes)) == 0, "\(record.err)")
    #expect(await record.acct("token") == 0)
    guard case .array = value else { return }
    #expect(await record.acct("status", "--json") == 0)
    #expect(record.json?.objectValue?["account"]?.objectValue?["scope"] == "notes:read notes:write")
  }

  @Test("An import says that its scope or its ID token can't be read")
  func tellsOfBlemishes() async {
    record.provide("in", Handoffs.bearer(changing: ["scope": 7, "id_token": "unreadable"]))
    #expect(await record.acct("add", "--import", "in") == 0)
    #expect(record.err.contains("acct: the granted scope can't be read, and is not known"))
    #expect(record.err.contains { $0.contains("the ID token can't be read") })
  }

  static let bad: [(String, String)] = [
    ("not JSON", "nonsense"),
    ("truncated", String(Handoffs.dpop().dropLast(9))),
    ("an array", "[]"),
    ("nested too deep", String(repeating: "[", count: 10_000)),
    ("no token", "{}"),
    ("a token with a line break", Handoffs.bearer(changing: ["access_token": "a\nX: y"])),
    ("an empty token", Handoffs.bearer(changing: ["access_token": ""])),
    ("a token that is a number", Handoffs.bearer(changing: ["access_token": 1])),
    ("a member twice", #"{"access_token":"a","access_token":"b"}"#),
    ("both spellings", #"{"access_token":"a","accessToken":"a"}"#),
    ("no key for a bound token", Handoffs.dpop(changing: ["dpopKey": nil])),
    ("no key for token_type DPoP", Handoffs.bearer(changing: ["token_type": "DPoP"])),
    ("an unknown token_type", Handoffs.bearer(changing: ["token_type": "mac"])),
    ("a bad handle", Handoffs.bearer(changing: ["handle": "nope"])),
    ("a bad DID", Handoffs.dpop(changing: ["did": "did:PLC:x"])),
    ("a bad PDS", Handoffs.dpop(changing: ["pds": "pds.example"])),
    ("a bad issuer", Handoffs.bearer(changing: ["issuer": "nope"])),
    ("a bad origin", Handoffs.bearer(changing: ["origins": ["nope"]])),
    ("origins that are no array", Handoffs.bearer(changing: ["origins": "https://a.example"])),
  ]

  @Test("An import of bad input stores nothing and exits 65", arguments: bad)
  func badInput(what: String, handoff: String) async {
    #expect(await record.add(handoff) == 65, "\(what)")
    #expect(record.keyring.count == 0)
    #expect(record.accountFiles == 0)
    #expect(record.file(.active) == nil)
  }

  @Test(
    "An import names a member as the file spells it",
    arguments: [
      (#"{"access_token":5}"#, "access_token is not a string"),
      (#"{"accessToken":5}"#, "accessToken is not a string"),
      (#"{"access_token":"a","refresh_token":5}"#, "refresh_token is not a string"),
      (#"{"access_token":"a","token_type":"MAC"}"#, "token_type is neither DPoP nor Bearer"),
      (#"{"access_token":null,"expiresIn":"soon"}"#, "there is no access_token"),
      (#"{"expires_in":60}"#, "there is no access_token"),
      (#"{"expiresIn":60}"#, "there is no accessToken"),
    ]
  )
  func spelledNames(handoff: String, message: String) async {
    record.provide("-", handoff)
    #expect(await record.acct("add", "--import", "-") == 65)
    #expect(record.err.first == "acct: \(message)")
  }

  @Test("An import rejects plain http except on loopback", arguments: ["pds", "issuer"])
  func plainHTTP(member: String) async {
    let handoff = Handoffs.bearer(changing: [member: "http://server.example"])
    #expect(await record.add(handoff) == 8)
    #expect(record.accountFiles == 0)
  }

  @Test("An import names the key that a token is bound to if it is another")
  func binding() async {
    let token = Handoffs.token(["cnf": ["jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"]])
    record.provide("-", Handoffs.dpop(changing: ["accessToken": .string(token)]))
    #expect(await record.acct("add", "--import", "-") == 65)
    #expect(record.err.first?.contains("cnf.jkt") == true)
    #expect(record.keyring.count == 0)
  }

  @Test("An import rejects more than a mebibyte and text that is not UTF-8")
  func bytes() async {
    record.provide("-", bytes: Array(repeating: 32, count: 1 << 20 + 1))
    #expect(await record.acct("add", "--import", "-") == 65)
    record.provide("-", bytes: Array(#"{"access_token":""#.utf8) + [0xFF] + Array(#""}"#.utf8))
    #expect(await record.acct("add", "--import", "-") == 65)
    #expect(record.accountFiles == 0)
  }

  @Test("An import changes nothing while the keyring is locked")
  func locked() async {
    record.keyring.lock()
    #expect(await record.add(Handoffs.dpop()) == 6)
    #expect(record.accountFiles == 0)
    #expect(record.file(.keyringDecision) == nil)
  }

  @Test("An import leaves nothing if the keyring fails half-way")
  func rollback() async {
    record.keyring.failWrites(after: 2)
    #expect(await record.add(Handoffs.dpop()) == 7)
    #expect(record.keyring.count == 0)
    #expect(record.accountFiles == 0)
  }

  @Test("An import of short renewable tokens uses a third of their life as the buffer")
  func shortTokens() async {
    let short = Handoffs.bearer(changing: ["expires_in": 60, "refresh_token": "r"])
    #expect(await record.add(short) == 0)
    #expect(await record.acct("status", "--json") == 0)
    #expect(record.json?.objectValue?["account"]?.objectValue?["state"] == "valid")
    record.now += 40
    #expect(await record.acct("status", "--json") == 0)
    #expect(record.json?.objectValue?["account"]?.objectValue?["state"] == "expiring")
  }
}
