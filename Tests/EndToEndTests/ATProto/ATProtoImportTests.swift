import AcctTestSupport
import StrictJSON
import Testing

@Suite("Importing credentials that name a DID and no issuer")
struct ATProtoImportTests {
  @Test(
    "An import without an issuer is renewed at the server that its DID leads to",
    arguments: ["alice.test", "bob.test"]
  )
  func renewal(_ handle: String) async throws {
    let network = try await ATProtoNetwork()
    let home = try network.home()
    #expect(try await home.importing(try await handoff(of: handle, network)).status == 0)
    #expect(try await home.account()["issuer"] == .null)

    #expect(try await home.acct("refresh", "--force").status == 0)
    #expect(try await home.account()["issuer"]?.stringValue == network["issuer"])
    #expect(try await home.acct("status", "--check").status == 0)
    let log = try await network.log()
    #expect(log.offences == [])
    #expect(log.endings == [nil])
    #expect(log.renewals.count { $0.status == 200 } == 1)
  }

  @Test("An import whose DID can't be resolved is not renewed, and loses nothing")
  func unresolved() async throws {
    let network = try await ATProtoNetwork()
    let home = try network.home()
    #expect(try await home.importing(try await handoff(of: "alice.test", network)).status == 0)
    try await network.set(["accounts": ["alice.test": ["status": 404]]])
    let refusal = try home.refusal(in: try await home.acct("refresh", "--force", "--json"))
    #expect(refusal.code == "didNotFound")
    #expect(try await network.log().renewals.isEmpty)
    try await network.set(["accounts": [:]])
    #expect(try await home.acct("refresh", "--force").status == 0)
  }

  /// A session without a sign-in; its token is opaque, so that nothing but the DID leads anywhere.
  private func handoff(of handle: String, _ network: ATProtoNetwork) async throws -> String {
    let issued = try await network.control("issue", ["account": .string(handle), "dpop": true, "format": "opaque"])
    var members = try #require(issued.objectValue)
    members["issuer"] = nil
    return String(decoding: JSON.object(members).serialized(), as: UTF8.self)
  }
}
