import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("The name of a policy that limits requests")
struct PolicyNameTests {
  private let world = RecordedWorld()

  private func observe(_ heads: String) async {
    world.provide("-", heads)
    #expect(await world.acct("observe", "https://issuer.example/x") == 0, "\(world.err)")
  }

  /// The names that are stored, `nil` for those without one.
  private func names() async -> [String?] {
    #expect(await world.acct("limits", "--json") == 0)
    return world.json?.objectValue?["limits"]?.arrayValue?.map { $0["name"]?.stringValue } ?? []
  }

  @Test(
    "A name that is a secret of the account's is neither stored nor shown",
    arguments: [
      "RateLimit-Policy: \"opaque-bob\";q=5", "RateLimit-Policy: opaque-bob;q=5", "RateLimit: \"opaque-bob\";r=3",
      "RateLimit-Policy: x-refresh-bob;q=5", "RateLimit-Policy: \"opaque-b\";q=5",
    ]
  )
  func secret(_ head: String) async {
    let refresh: [String: JSON] = ["refreshToken": "refresh-bob"]
    #expect(await world.add(Handoffs.bearer(changing: refresh)) == 0)
    await observe(head + "\n")
    let name = await names().first ?? nil
    #expect(name == "<redacted>" || name == "x-<redacted>", "\(name ?? "none")")
    #expect(await world.acct("limits") == 0)
    #expect(!world.out.contains("bob;") && !world.out.contains("opaque-b"))
    #expect(!world.filesText.contains("opaque-b") && !world.filesText.contains("refresh-bob"))
  }

  @Test("A name that is a static token is not stored")
  func otherSecrets() async {
    #expect(await world.addToken("made-up-static-token", at: "https://issuer.example") == 0)
    await observe("RateLimit-Policy: \"made-up-static-token\";q=5\n")
    #expect(await names() == ["<redacted>"])
    #expect(!world.filesText.contains("made-up-static-token"))
  }

  @Test("A limit has no name where the account's secrets can't be read, and is kept")
  func locked() async {
    #expect(await world.add(Handoffs.bearer()) == 0)
    world.keyring.lock()
    world.keyring.unlockWhenAsked()
    await observe("RateLimit-Policy: \"opaque-bob\";q=5, \"daily\";q=9\n")
    #expect(await names() == [nil, nil])
    #expect(!world.filesText.contains("opaque-bob"))
    world.keyring.unlock()
    await observe("RateLimit-Policy: \"burst\";q=5, \"daily\";q=9\n")
    #expect(await names() == ["burst", "daily"])
  }

  @Test("The keyring is not asked where no policy has a name")
  func untouched() async {
    #expect(await world.add(Handoffs.bearer()) == 0)
    world.keyring.fail(with: .failed(reason: "it was asked"))
    await observe("RateLimit-Limit: 5\nRateLimit-Remaining: 3\n")
    #expect(world.err.isEmpty)
  }

  @Test("A name that comes through the proxy is redacted, also where it is written down later")
  func proxied() async {
    #expect(await world.add(Handoffs.bearer()) == 0)
    let record = world
    world.localServer.visit { ask in
      // The first answer is written at once, the second when the proxy has forgotten its token.
      for name in ["daily", "opaque-bob"] {
        record.serve(200, "", [("RateLimit-Policy", "\(name);q=5")])
        _ = await ask("GET", "/x", [("Host", "issuer.example")], nil)
      }
    }
    #expect(await world.acct("proxy") == 0)
    #expect(await names() == ["<redacted>"])
    #expect(!world.filesText.contains("opaque-bob"))
  }

  static let written: [(String, String?)] = [
    ("\"daily\"", "daily"), ("*", "*"), ("a.b/c:d_e~1", "a.b/c:d_e~1"), ("\"100-in-15min\"", "100-in-15min"),
    ("\"fair use\"", nil), ("\"a\\\"b\"", nil), ("\"a=b\"", nil), ("\"a,b\"", nil),
    ("\"\(String(repeating: "n", count: 32))\"", String(repeating: "n", count: 32)),
    ("\"\(String(repeating: "n", count: 33))\"", nil),
  ]

  @Test("A name is a short token of structured fields, and any other is left out", arguments: written)
  func grammar(_ written: String, _ name: String?) async {
    #expect(await world.add(Handoffs.bearer()) == 0)
    await observe("RateLimit-Policy: \(written);q=5;w=60\nRateLimit: \(written);r=3;t=9\n")
    #expect(await names() == [name])
    #expect(world.json?.objectValue?["limits"]?.arrayValue?.first?["remaining"] == 3)
  }
}
