import AcctTestSupport
import StrictJSON
import Testing

@Suite("Hostile AT Protocol sign-ins", .serialized)
struct ATProtoHostileTests {
  /// One fault, and the error for it.
  struct Variant: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var settings: JSON = [:]
    var fault: JSON?
    /// How the browser behaves.
    var mood = "approve"
    /// Whom or where to sign in; the name of an address of the network, a handle, or a URL.
    var whom = "alice.test"
    let code: String
    var status: Int32 = 11
  }

  /// One network for all, put back to its start for each: starting one takes longer than a refusal.
  private static let shared = Task { try await ATProtoNetwork() }

  private func freshNetwork() async throws -> ATProtoNetwork {
    let network = try await Self.shared.value
    try await network.control("reset")
    return network
  }

  @Test("A hostile sign-in is rejected with an error of its own, and nothing is stored", arguments: Variant.all)
  func refused(_ variant: Variant) async throws {
    let network = try await freshNetwork()
    try await network.set(variant.settings)
    if let fault = variant.fault { try await network.control("faults", fault) }
    let home = try network.home()
    let known = network[variant.whom]

    let whom = known.isEmpty ? variant.whom : known
    let refusal = try await home.refusal([whom, "--timeout", "2"], as: variant.mood)
    #expect(refusal.code == variant.code, "\(refusal)")
    #expect(refusal.status == variant.status, "\(refusal)")

    #expect(try await home.traces() == [])
    let listed = try await home.acct("list", "--json")
    #expect(try JSON(parsing: listed.standardOutput)["accounts"] == [])
    let log = try await network.log()
    #expect(log.offences == [])
    #expect(!log.requests.contains { $0.origin.hasPrefix("elsewhere") })
  }

  @Test("A code is not redeemed after a rejected callback", arguments: ["wrong", "missing"])
  func codeIsKept(_ what: String) async throws {
    let network = try await freshNetwork()
    _ = try await network.home().refusal(["alice.test"], as: "\(what)-iss")
    #expect(try await !network.log().requests.contains { $0.endpoint == "token" })
  }

  @Test("The session of another identity than the named one is revoked, and the error names it")
  func unwanted() async throws {
    let network = try await freshNetwork()
    try await network.set(["token_override": ["sub": "did:plc:mallorytestaccountaaaaaa"]])
    let home = try network.home()
    let refusal = try await home.refusal(["alice.test"])
    #expect(refusal.status == 8, "\(refusal)")
    let log = try await network.log()
    #expect(log.requests.count { $0.endpoint == "revoke" && $0.status == 200 } == 1)
    #expect(log.offences == [])
    #expect(try await home.traces() == [])
  }

  @Test("A handle without a record is another error than a resolver that does not answer")
  func resolver() async throws {
    let network = try await freshNetwork()
    try await network.set(["dns": ["alice.test": "silence", "bob.test": "none"]])
    let home = try network.home()
    let silent = try await home.refusal(["alice.test", "--timeout", "1"])
    #expect(silent.status == 10)
    #expect(silent.code == "network")
    let none = try await home.refusal(["bob.test"])
    #expect(none.status == 1)
    #expect(none.code == "handleNotFound")
    #expect(try await home.traces() == [])
  }
}
