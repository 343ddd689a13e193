import AcctTestSupport
import StrictJSON
import Testing

@Suite("An AT Protocol account that changes")
struct ATProtoMoveTests {
  @Test("An account that moved is not renewed; its refresh token is not used and works after a return")
  func moved() async throws {
    let network = try await ATProtoNetwork()
    let home = try network.home()
    _ = try await home.signIn(["alice.test"])
    try await network.set(["accounts": ["alice.test": ["pds": "pds2"]]])

    let refusal = try home.refusal(in: try await home.acct("refresh", "--force", "--json"))
    #expect(refusal.status == 4)
    #expect(refusal.code == "moved")
    #expect(refusal.message.contains("moved to \(network["pds2"])"))
    #expect(try await network.log().renewals.isEmpty)
    // The token is not past yet: it is the user's, and still works.
    #expect(try await home.account()["state"]?.stringValue == "valid")
    #expect(try await home.acct("header", "\(network["pds"])/xrpc/a.b.c").status == 0)

    try await network.set(["accounts": [:]])
    #expect(try await home.acct("refresh", "--force").status == 0)
    let log = try await network.log()
    #expect(log.endings == [nil])
    #expect(log.offences == [])
  }

  @Test("An account that moved says so if a renewal is due and the token has expired")
  func movedAndPast() async throws {
    let network = try await ATProtoNetwork()
    let home = try network.home()
    try await network.set(["lifetime": -10])
    _ = try await home.signIn(["alice.test"])
    try await network.set(["accounts": ["alice.test": ["pds": "pds2"]]])
    let output = try await home.acct("header", "\(network["pds"])/xrpc/a.b.c", "--json")
    let refusal = try home.refusal(in: output)
    #expect(refusal.status == 4)
    #expect(refusal.code == "moved")
    #expect(try await network.log().renewals.isEmpty)
  }

  @Test("An account that moved signs in at its new place under its old name")
  func signsInAgain() async throws {
    let network = try await ATProtoNetwork()
    let home = try network.home()
    _ = try await home.signIn(["alice.test"])
    try await network.set(["accounts": ["alice.test": ["pds": "pds2"]]])
    let account = try await home.signIn(["alice.test"])
    #expect(account["service"]?.stringValue == network["pds2"])
    #expect(account["issuer"]?.stringValue == network["issuer2"])
    #expect(try await home.acct("status", "--check").status == 0)
    #expect(try await network.log().offences == [])
  }

  @Test("An account follows its changed handle")
  func handle() async throws {
    let network = try await ATProtoNetwork()
    let home = try network.home()
    _ = try await home.signIn(["alice.test"])
    try await network.set(["accounts": ["alice.test": ["handle": "alicia.test"]]])
    #expect(try await home.acct("refresh", "--force").status == 0)
    #expect(try await home.account()["handle"]?.stringValue == "alicia.test")
  }

  @Test("An account keeps its handle if the new one does not point back")
  func falseHandle() async throws {
    let network = try await ATProtoNetwork()
    let home = try network.home()
    _ = try await home.signIn(["alice.test"])
    let names: JSON = ["at://bob.test"]
    try await network.set(["accounts": ["alice.test": ["also_known_as": names]]])
    #expect(try await home.acct("refresh", "--force").status == 0)
    #expect(try await home.account()["handle"]?.stringValue == "alice.test")
  }

  @Test("An account follows its data server if the authorization server stays")
  func dataServer() async throws {
    let network = try await ATProtoNetwork()
    let home = try network.home()
    _ = try await home.signIn(["alice.test"])
    let service: JSON = [
      "id": "#atproto_pds", "type": "AtprotoPersonalDataServer",
      "serviceEndpoint": .string(network["pds2"]),
    ]
    try await network.set([
      "accounts": ["alice.test": ["document": ["service": [service]]]],
      "resource_override": ["authorization_servers": [.string(network["issuer"])]],
    ])
    #expect(try await home.acct("refresh", "--force").status == 0)
    let account = try await home.account()
    #expect(account["service"]?.stringValue == network["pds2"])
    #expect(account["origins"] == [.string(network["pds2"])])
    #expect(try await home.acct("header", "\(network["pds2"])/xrpc/a.b.c").status == 0)
    #expect(try await home.acct("header", "\(network["pds"])/xrpc/a.b.c").status == 8)
  }

  @Test("An identity is looked up once for several renewals, and a failed lookup spends no token")
  func lookups() async throws {
    let network = try await ATProtoNetwork()
    let home = try network.home()
    _ = try await home.signIn(["alice.test"])
    let before = try await network.log().requests.count { $0.endpoint == "plc" }
    try await network.control("faults", ["endpoint": "plc", "kind": "503"])
    #expect(try await home.acct("refresh", "--force").status == 11)
    #expect(try await network.log().renewals.isEmpty)
    for _ in 1...3 { #expect(try await home.acct("refresh", "--force").status == 0) }
    let log = try await network.log()
    // The one that failed, and the one that is remembered.
    #expect(log.requests.count { $0.endpoint == "plc" } == before + 2)
    #expect(log.renewals.count == 3)
  }
}
