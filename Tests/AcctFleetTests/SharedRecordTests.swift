import AcctEngine
import AcctFleet
import AcctModel
import Secrets
import AcctPorts
import FleetPorts
import StrictJSON
import Testing

@Suite("What a shared keyring may hold of an account")
struct SharedRecordTests {
  private static let id = "0badc0de-0000-4000-8000-000000000001"
  private let account: Account

  init() throws {
    account = Account(
      id: try AccountID(Self.id),
      name: try AccountName("alice"),
      kind: .oauth,
      tokenType: .dpop,
      identity: Identity(subject: "alice", issuer: nil, clientID: nil),
      source: .user,
      origins: OwnOrigins([try Origin("https://api.example")]),
      tokenLifetime: TokenLifetime(expiresAt: nil, canRenew: true),
      recordedState: .signedIn,
      createdAt: try Timestamp("2026-01-15T08:00:00Z")
    )
  }

  private func damage(
    _ items: [ItemKind: Secret] = [:],
    named name: String = "alice",
    _ change: (inout JSONObject) -> Void = { _ in }
  ) throws -> SharedDamage? {
    var record = try #require(try JSON(parsing: AccountFile.encode(account)).objectValue)
    change(&record)
    return SharedRecord.check(
      SharedContents(
        id: account.id,
        name: try AccountName(name),
        record: JSON.object(record).serialized(),
        items: items
      )
    )
  }

  @Test("An account as acct writes it is taken")
  func sound() throws {
    #expect(try damage() == nil)
    #expect(
      try damage([
        .accessToken: Secret("token"), .refreshToken: Secret("refresh"),
        .expiresAt: Secret("2026-01-15T09:00:00Z"), .handle: Secret("alice.example.com"),
        .did: Secret("did:plc:alice"), .clientSecret: Secret("secret"),
        .keypair: Secret(#"{"kty":"EC","crv":"P-256","x":"x","y":"y","d":"d"}"#),
      ]) == nil
    )
  }

  @Test("A record of another account, of another name, or of none, is damaged")
  func otherAccount() throws {
    #expect(try damage { $0["id"] = "0badc0de-0000-4000-8000-000000000002" } == .notThisAccount)
    #expect(try damage(named: "bob") == .notThisAccount)
    #expect(try damage { $0["name"] = " " } == .notThisAccount)
    #expect(try damage { $0["origins"] = ["http://api.example"] } == .notThisAccount)
    #expect(try damage { $0["issuer"] = "file:///etc/passwd" } == .notThisAccount)
    #expect(try damage { $0["tokenType"] = "static" } == .notThisAccount)
    let empty = SharedContents(id: account.id, name: account.name, record: [], items: [:])
    #expect(SharedRecord.check(empty) == .notThisAccount)
  }

  @Test("A record of a later version of acct is told as that, and no removal of it is proposed")
  func later() throws {
    #expect(try damage { $0["version"] = 2 } == .unknownVersion)
    #expect(try damage { $0["kind"] = "of-later" } == .unknownVersion)
    #expect(try damage([.roleKeys: Secret(#"{"version":2}"#)]) == .unknownVersion)
    #expect(try damage([.roleKeys: Secret(#"{"version":1}"#)]) == .item(.roleKeys))
  }

  @Test("A static token has what its form can send: a password more than any other")
  func staticToken() throws {
    func damage(_ token: String, _ scheme: JSON, _ user: JSON) throws -> SharedDamage? {
      try self.damage([.staticToken: Secret(token)]) { record in
        record["kind"] = "static"
        record["tokenType"] = "static"
        record["canRenew"] = false
        record["sentAs"] = ["header": "Authorization", "scheme": scheme, "user": user]
        record["keptFor"] = "docker"
      }
    }
    #expect(try damage("zwei w\u{F6}rter", "Basic", "alice") == nil)
    #expect(try damage("token", "Bearer", nil) == nil)
    #expect(try damage("two words", "Bearer", nil) == .item(.staticToken))
    #expect(try damage("two words", nil, nil) == .item(.staticToken))
    #expect(try damage("a\r\nX-B: c", "Basic", "alice") == .item(.staticToken))
    // What is left of an account that was being removed has no record.
    for (token, flaw) in [("two words", nil), ("a\nb", SharedDamage.item(.staticToken))] {
      let rest = SharedContents(id: account.id, name: nil, record: [], items: [.staticToken: Secret(token)])
      #expect(SharedRecord.check(rest) == flaw)
    }
  }

  @Test("A record that speaks of one machine's files, of its device or of a guest is damaged")
  func localState() throws {
    #expect(try damage { $0["keptIn"] = "vault" } == .localState)
    // What another machine names must not be read, run or used here.
    for inputs in [
      ["file": "/var/run/token"], ["program": ["/bin/sh", "-c", "id"]], ["account": .string(Self.id)],
      ["clientAssertion": "/etc/passwd"],
    ] as [JSON] {
      #expect(try damage { $0["client"] = ["grant": "tokenExchange", "inputs": inputs] } == .localState)
    }
    #expect(
      try damage { $0["incoming"] = ["place": .string(Self.id), "isWhole": true] } == .localState
    )
    #expect(try damage { $0["keyStorage"] = "pkcs11" } == .keyInDevice)
    #expect(
      try damage { record in
        record["kind"] = "guest"
        record["tokenType"] = "guest"
      } == .guest
    )
  }

  @Test(
    "An item that acct does not write there is damaged",
    arguments: [
      (ItemKind.accessToken, "two\r\nlines"), (.refreshToken, ""), (.expiresAt, "tomorrow"),
      (.handle, "no handle"), (.did, "did:"), (.guest, "token"), (.staticToken, "a b"),
    ]
  )
  func items(kind: ItemKind, text: String) throws {
    #expect(try damage([kind: Secret(text)]) == .item(kind))
  }

  @Test("A client certificate's files and its token are those of one machine, and no record names them")
  func certificates() throws {
    func damage(_ members: JSONObject, _ key: String) throws -> SharedDamage? {
      var certificate: JSONObject = ["thumbprint": "t", "endsAt": "2027-01-15T08:00:00Z"]
      for (name, value) in members { certificate[name] = value }
      return try self.damage([
        .certificate: Secret("-----BEGIN CERTIFICATE-----\n"), .certificateKey: Secret(key),
      ]) { $0["client"] = ["certificate": .object(certificate)] }
    }
    let pem = "-----BEGIN PRIVATE KEY-----\n"
    #expect(try damage([:], pem) == nil)
    #expect(try damage(["files": ["/home/a.pem", "/home/a.key"]], pem) == .localState)
    #expect(try damage(["keyStorage": "pkcs11"], pem) == .keyInDevice)
    #expect(try damage([:], "pkcs11:object=o?module-path=/tmp/m.so") == .item(.certificateKey))
    #expect(try damage(["else": 1], pem) == .notThisAccount)
  }

  @Test(
    "A key that is in a device, or is no JWK, is damaged, with or without an account",
    arguments: [
      #"{"kty":"EC","acct_key":"pkcs11","uri":"pkcs11:object=o?module-path=/tmp/m.so"}"#,
      #"{"kty":"EC","acct_key":"tpm2","tss2":"","tpm":"/dev/tpmrm0"}"#, "no JSON",
    ]
  )
  func keys(key: String) throws {
    #expect(try damage([.keypair: Secret(key)]) == .keyInDevice)
    let bare = SharedContents(id: account.id, name: nil, record: [], items: [.keypair: Secret(key)])
    #expect(SharedRecord.check(bare) == .keyInDevice)
  }
}
