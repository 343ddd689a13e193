import AcctTestSupport
import StrictJSON
import Testing

/// The testing checklist of the guide that guest sessions come from, line by line, at a real
/// backend with real processes.
@Suite("The checklist of guest sessions")
struct GuestChecklistTests {
  @Test("Each guest sign-in gets a new token")
  func newToken() async throws {
    let steps = try await GuestSteps()
    var tokens: Set<String> = []
    for _ in 0..<3 {
      _ = try await steps.add()
      tokens.insert(try await steps.token())
    }
    #expect(tokens.count == 3 && !tokens.contains(""))
    #expect(try await steps.home.accounts().count == 1)
  }

  @Test("A guest token is kept in the keyring after acct ends")
  func persisted() async throws {
    let steps = try await GuestSteps()
    _ = try await steps.add()
    let token = try await steps.token()
    #expect(token.hasPrefix("eyJ"))
    // Every call is a process of its own. Nothing but the keyring knows the token.
    #expect(try await steps.token() == token)
    #expect(try await steps.home.files(containing: secretForms).isEmpty)
    let id = try await steps.home.accountID()
    #expect(try await steps.home.files().contains("data/vault/guest.\(id).token"))
  }

  @Test("A guest session is used again until its token expires after 15 minutes")
  func restored() async throws {
    let steps = try await GuestSteps()
    _ = try await steps.add()
    #expect(try await steps.state() == "valid")
    let seconds = try #require(try await steps.home.accounts().first?["expiresAt"]?.stringValue)
    #expect(seconds.hasSuffix("Z"))
    #expect(try await steps.edit() == "200")
  }

  @Test("The X-Device-ID field is sent with guest requests only")
  func deviceID() async throws {
    let steps = try await GuestSteps()
    _ = try await steps.add()
    _ = try await steps.edit()
    let devices = try await steps.backend.requests().map { $0["device_id"] }
    #expect(devices.count == 2 && devices[0] == devices[1] && devices[0] != .null)

    for dpop in [true, false] {
      let server = try await StrictServer(["dpop": "optional"])
      try #require(try await steps.home.importing(try await server.issue(["dpop": .bool(dpop)])).status == 0)
      let lines = try await steps.home.acct("header", "\(server.resource)/resource").text
      #expect(lines.hasPrefix("Authorization: ") && !lines.lowercased().contains("x-device-id"))
    }
  }

  @Test("A guest request with an expired or invalid token is answered with 401")
  func refused() async throws {
    let steps = try await GuestSteps()
    _ = try await steps.add()
    try await steps.backend.revoke()
    #expect(try await steps.edit() == "401")
    #expect(try await steps.edit("Authorization: Bearer a.b.c\n") == "401")
    #expect(try await steps.edit("") == "401")
  }

  @Test("A guest request without the device id is answered with 400")
  func missingDeviceID() async throws {
    let steps = try await GuestSteps(["drops_device_id": true])
    let added = try await steps.add(expecting: 11)
    #expect(added.errorText.contains("reports that X-Device-ID is missing"))
    try await steps.backend.set(["drops_device_id": false])
    _ = try await steps.add()
    let lines = try await steps.home.acct("header", steps.url).text
    let authorization = try #require(lines.split(separator: "\n").first)
    #expect(try await steps.edit("\(authorization)\n") == "400")
  }

  @Test("A guest request over the limit is answered with 429 and rate-limit fields")
  func limited() async throws {
    let steps = try await GuestSteps()
    _ = try await steps.add()
    #expect(try await steps.limit()["remaining"] == 5)
    for left in (0..<5).reversed() {
      #expect(try await steps.edit() == "200")
      #expect(try await steps.limit()["remaining"] == .number(JSONNumber(Int64(left))))
    }
    #expect(try await steps.edit() == "429")
    let limit = try await steps.limit()
    #expect(limit["limit"] == 5 && limit["remaining"] == 0)
    let wait = try #require(limit["retryAfterSeconds"]?.numberValue?.integer)
    #expect((86_000...86_400).contains(wait))
    let shown = try await steps.home.acct("limits").text
    #expect(shown.hasPrefix("\(steps.backend.origin)  0 of 5 left, resets in "))
  }

  @Test("A guest token's expiry after 15 minutes is handled without the server")
  func expiry() async throws {
    let steps = try await GuestSteps(["lifetime": 900])
    _ = try await steps.add()
    let header = try await steps.home.command(secondsAhead: 900, ["header", steps.url]).run()
    #expect(header.status == 4 && header.text.isEmpty)
    #expect(header.errorText.contains("`acct login guest@"))
    #expect(try await steps.state() == "expired")
    let id = try await steps.home.accountID()
    #expect(try await !steps.home.files().contains("data/vault/guest.\(id).token"))
    #expect(try await steps.backend.requests().count == 1)
    _ = try await steps.add()
    #expect(try await steps.home.accountID() == id)
    #expect(try await steps.edit() == "200")
  }

  @Test("A guest's rate limit persists across sessions of the same device")
  func persistentLimit() async throws {
    let steps = try await GuestSteps()
    for _ in 0..<5 {
      _ = try await steps.add()
      #expect(try await steps.edit() == "200")
    }
    _ = try await steps.add()
    #expect(try await steps.limit()["remaining"] == 0)
    #expect(try await steps.edit() == "429")
    // Removed and added again, it is the same machine.
    #expect(try await steps.home.acct("remove", "-a", "x", try await name(steps)).status == 0)
    _ = try await steps.add()
    #expect(try await steps.edit() == "429")

    try await steps.backend.set(["guests_per_day": 0])
    let refused = try await steps.add(expecting: 9)
    #expect(refused.errorText.contains("the limit of \(steps.backend.origin) is reached"))
    #expect(refused.errorText.contains("0 of 0 left"))
    #expect(try await steps.token() != "")
  }

  @Test("A guest token is validated without a request")
  func localValidation() async throws {
    let steps = try await GuestSteps()
    _ = try await steps.add()
    for arguments in [["status"], ["status", "--check"], ["list"], ["token"], ["header", steps.url]] {
      #expect(try await steps.home.command(arguments).run().status == 0)
    }
    #expect(try await steps.backend.requests().count == 1)
  }

  private func name(_ steps: GuestSteps) async throws -> String {
    try #require(try await steps.home.accounts().first?["name"]?.stringValue)
  }
}
