import AcctTestSupport
import StrictJSON
import Testing

@Suite("Nonces of an AT Protocol network that rotate with each request")
struct ATProtoNonceTests {
  @Test("Rotating nonces cost one retry at each server, since the retry's nonce is stored")
  func remembered() async throws {
    let network = try await ATProtoNetwork()
    try await network.set(["nonce_uses": 1, "nonce_keep": 0])
    let home = try network.home()
    _ = try await home.signIn(["alice.test"])
    for _ in 1...3 {
      #expect(try await home.acct("refresh", "--force").status == 0)
      #expect(try await home.acct("status", "--check").status == 0)
    }
    let log = try await network.log()
    #expect(log.offences == [])
    #expect(log.challenges.map(\.origin).sorted() == ["as", "pds"])
    #expect(log.renewals.count == 3)
    #expect(log.requests.count { $0.endpoint == "resource" } == 4)
  }

  @Test("Nonces that the server lost cost one retry, and none after it")
  func forgotten() async throws {
    let network = try await ATProtoNetwork()
    try await network.set(["nonce_uses": 1, "nonce_keep": 0])
    let home = try network.home()
    _ = try await home.signIn(["alice.test"])
    for round in 1...2 {
      let before = try await network.log().challenges.count
      try await network.control("rotate-nonces")
      for _ in 1...2 {
        #expect(try await home.acct("refresh", "--force").status == 0)
        #expect(try await home.acct("status", "--check").status == 0)
      }
      #expect(try await network.log().challenges.count == before + 2, "round \(round)")
    }
    #expect(try await network.log().offences == [])
  }
}
