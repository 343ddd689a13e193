import AcctModel
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Signing in with an AT Protocol identity")
struct ATProtoSignInTests {
  /// The identifier that the user begins with.
  enum Beginning: String, CaseIterable {
    case handle, webHandle, did, webDID, dataServer, entryway, hostedClient

    func arguments(at network: ATProtoNetwork) -> [String] {
      switch self {
      case .handle: ["alice.test"]
      case .webHandle: ["@bob.test"]
      case .did: [network.did("alice.test")]
      case .webDID: [network.did("bob.test")]
      case .dataServer: [network["pds"]]
      case .entryway: [network["issuer"]]
      case .hostedClient: ["alice.test", "--client-id", network["client_id"]]
      }
    }

    var handle: String { self == .webHandle || self == .webDID ? "bob.test" : "alice.test" }
  }

  @Test(
    "A sign-in stores its identity, works at the data server, is renewed and ends at the server",
    arguments: Beginning.allCases
  )
  func whole(_ beginning: Beginning) async throws {
    let network = try await ATProtoNetwork()
    let home = try network.home()
    let arguments = beginning.arguments(at: network)
    let account = try await home.signIn(arguments)

    #expect(account["did"]?.stringValue == network.did(beginning.handle))
    #expect(account["handle"]?.stringValue == beginning.handle)
    #expect(account["name"]?.stringValue == beginning.handle)
    #expect(account["service"]?.stringValue == network["pds"])
    #expect(account["issuer"]?.stringValue == network["issuer"])
    #expect(account["origins"] == [.string(network["pds"])])
    #expect(account["scope"]?.stringValue == "atproto transition:generic")
    #expect(account["tokenType"]?.stringValue == "DPoP")
    let ends = try Timestamp(try #require(account["sessionEndsAt"]?.stringValue))
    let created = try Timestamp(try #require(account["createdAt"]?.stringValue))
    // 14 days from the grant, which is a moment before the account is there.
    #expect((14 * 86_400 - 60...14 * 86_400).contains(ends.seconds(since: created)))

    try await expectAcceptance(of: home, at: network, as: beginning.handle)
    #expect(try await home.acct("refresh", "--force").status == 0)
    try await expectAcceptance(of: home, at: network, as: beginning.handle)

    let removed = try await home.acct("remove", beginning.handle)
    #expect(removed.status == 0)
    #expect(removed.errorText.contains("the server has ended the session"))
    let log = try await network.log()
    #expect(log.offences == [])
    #expect(log.endings.count == 1)
    #expect(log.endings.allSatisfy { $0 != nil })
    #expect(log.requests.last { $0.endpoint == "revoke" }?.hasProof == true)
    // An identifier that names only a server does not name an identity yet.
    let isServer = beginning == .dataServer || beginning == .entryway
    let named = beginning == .webHandle ? "bob.test" : arguments[0]
    let hints = log.requests.filter { $0.endpoint == "par" }.map(\.loginHint)
    #expect(hints.allSatisfy { $0 == (isServer ? nil : named) })
    // A renewal with another client id would end the session.
    let clients = Set(log.requests.filter { $0.endpoint == "token" }.map(\.clientID))
    #expect(clients.count == 1)
    if beginning == .hostedClient { #expect(clients == [network["client_id"]]) }
    #expect(try await home.traces() == [])
  }

  private func expectAcceptance(of home: AcctHome, at network: ATProtoNetwork, as handle: String) async throws {
    // Learns the data server's nonce, without which the first header would cost a retry.
    let check = try await home.acct("status", "--check")
    #expect(check.status == 0, "\(check.text)\(check.errorText)")
    let url = "\(network["pds"])/xrpc/com.atproto.server.getSession"
    let header = try await home.acct("header", url)
    #expect(header.status == 0, "\(header.errorText)")
    let answer = try await network.curl(url, headers: header.text)
    #expect(answer.status == 200)
    #expect(answer.body.contains(network.did(handle)))
  }

  @Test("A second sign-in ends the session that it replaces, and not the new one")
  func replaced() async throws {
    let network = try await ATProtoNetwork()
    let home = try network.home()
    for _ in 1...2 { _ = try await home.signIn(["alice.test"]) }
    let log = try await network.log()
    #expect(log.offences == [])
    #expect(log.endings.map { $0 != nil } == [true, false])
    try await expectAcceptance(of: home, at: network, as: "alice.test")
  }

  @Test("A sign-in stores the granted scope, not the requested one")
  func scope() async throws {
    let network = try await ATProtoNetwork()
    try await network.set(["token_override": ["scope": "atproto"]])
    let account = try await network.home().signIn(["alice.test"])
    #expect(account["scope"]?.stringValue == "atproto")
  }

  @Test("A sign-in ignores a callback with a wrong state and takes the right one after it")
  func wrongState() async throws {
    let network = try await ATProtoNetwork()
    let account = try await network.home().signIn(["alice.test"], as: "wrong-state-first")
    #expect(account["did"]?.stringValue == network.did("alice.test"))
    let log = try await network.log()
    #expect(log.offences == [])
    #expect(log.requests.count { $0.endpoint == "token" && $0.status == 200 } == 1)
  }

  @Test("A sign-in finds the DID in every valid answer of a resolver")
  func resolver() async throws {
    let network = try await ATProtoNetwork()
    // Far enough to see that the handle was resolved, without a browser; so nothing is stored.
    let other: JSON = ["id": "did:plc:someoneelseeeeeeeeeeeeee"]
    try await network.set(["accounts": ["alice.test": ["document": other]]])
    let home = try network.home()
    let answers = ["twice", "split", "noise", "cname", "pointers", "uncompressed", "truncated", "big", "spoof_first"]
    for answer in answers {
      try await network.set(["dns": ["alice.test": .string(answer)]])
      let refusal = try await home.refusal(["alice.test"])
      #expect(refusal.code == "documentMismatch", "\(answer): \(refusal)")
    }
  }
}
