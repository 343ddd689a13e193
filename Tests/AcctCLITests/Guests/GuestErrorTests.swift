import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// The error table of the guide that guest sessions come from, row by row.
@Suite("Guest sign-ins that fail")
struct GuestErrorTests {
  private let world = RecordedWorld()

  private func expect(
    _ status: Int32,
    _ message: String,
    _ hint: String? = nil,
    location: SourceLocation = #_sourceLocation
  ) async {
    #expect(await world.acct("add", "--guest", Guests.backend) == status, sourceLocation: location)
    let lines = ["acct: \(message)"] + (hint.map { ["acct: hint: \($0)"] } ?? [])
    #expect(world.err == lines, sourceLocation: location)
    #expect(world.accountFiles == 0 && world.keyring.count == 0, sourceLocation: location)
  }

  @Test("A guest sign-in answered with 401 exits 4 with the backend's words (authenticationRequired)")
  func authenticationRequired() async {
    world.serve(401, Guests.refusal("Authentication required"))
    await expect(4, "https://api.example does not accept guests (it answered 401): Authentication required")
  }

  @Test("A guest session past its end exits 4 and names `acct login` (unauthorized)")
  func unauthorized() async {
    await world.addGuest()
    world.now += 900
    #expect(await world.acct("header", "https://api.example/x") == 4)
    #expect(world.err.first?.contains("has expired") == true)
    #expect(world.err.last?.contains("`acct login guest@api.example`") == true)
  }

  @Test("A guest sign-in answered with 429 exits 9 and shows the limit and the wait (rateLimited)")
  func rateLimited() async {
    world.serve(
      429,
      Guests.refusal("You have reached your daily limit"),
      [
        ("X-RateLimit-Limit", "5"), ("X-RateLimit-Remaining", "0"),
        ("X-RateLimit-Reset", "1800050700"), ("Retry-After", "50700"),
      ]
    )
    await expect(
      9,
      "the limit of https://api.example is reached: You have reached your daily limit",
      "0 of 5 left, resets in 14 h 5 min, retry in 14 h 5 min"
    )
    world.serve(429, "")
    await expect(9, "the limit of https://api.example is reached", "a new guest session does not reset it; wait")
  }

  @Test("A guest sign-in rejected without X-Device-ID exits 11 with its own hint (missingDeviceID)")
  func missingDeviceID() async {
    world.serve(400, Guests.refusal("X-Device-ID header is required for guest users"))
    await expect(
      11,
      "https://api.example reports that X-Device-ID is missing, which every request of a guest contains",
      "check whether a proxy removes it"
    )
    #expect(await world.acct("add", "--guest", Guests.backend, "--json") == 11)
    #expect(world.err.first?.contains(#""code":"deviceIDMissing""#) == true)
  }

  @Test("A guest sign-in answered with 400 or 404 exits 11 with printable words (badRequest)")
  func badRequest() async {
    world.serve(400, Guests.refusal(#"no\u001b[31m"#))
    await expect(11, #"https://api.example does not accept guests (it answered 400): no\u{1b}[31m"#)
    world.serve(404, "<html>")
    await expect(11, "https://api.example does not accept guests (it answered 404)")
  }

  @Test("A guest sign-in answered with 503 exits 11 and says when to try again (serverError)")
  func serverError() async {
    world.serve(503, "", [("Retry-After", "7")])
    await expect(
      11,
      "https://api.example failed with 503",
      "try again in 7 s, at 08:00; nothing was wrong with the account"
    )
  }

  @Test("A guest sign-in with an empty answer exits 11, since that is not JSON (noData)")
  func noData() async {
    world.serve(200, "")
    await expect(11, "https://api.example sent an answer that is not JSON")
  }

  @Test("A guest sign-in with a malformed answer exits 11 and names the bad member")
  func badAnswers() async {
    for (member, body) in [
      ("guestToken", "{}"), ("guestToken", #"{"guestToken":[5]}"#), ("guestToken", "[]"),
      ("guestToken", #"{"guestToken":"two words"}"#),
    ] {
      world.serve(200, body)
      await expect(11, "https://api.example sent a guest session with a bad \(member)")
    }
  }

  @Test("A guest's unreadable limitations are dropped, and the session begins")
  func badLimitations() async throws {
    let limitations: JSON = ["maxEditsPerDay": "many", "featuresDisabled": [1, "save", nil]]
    world.serve(200, Guests.answer(Guests.token(), changing: ["limitations": limitations]))
    #expect(await world.acct("add", "--guest", Guests.backend) == 0)
    let kept = await world.status("limitations")?.objectValue
    #expect(kept?["maxEditsPerDay"] == .null && kept?["featuresDisabled"] == ["save"])
  }

  @Test("A redirect of a guest sign-in is not followed, since the device id is for that backend alone")
  func redirect() async {
    world.serve(307, "", [("Location", "https://elsewhere.example/")])
    await expect(11, "https://api.example redirects to https://elsewhere.example/ where credentials are not sent")
    #expect(world.requests.count == 1)
  }

  @Test("A guest sign-in at an invalid URL exits 64 or 8 without a request (invalidURL)")
  func invalidURL() async {
    for (url, status): (String, Int32) in [
      ("nonsense", 64), ("https://api.example/path", 64), ("http://api.example", 8), ("https://user@api.example", 8),
    ] {
      #expect(await world.acct("add", "--guest", url) == status, "\(url)")
    }
    #expect(await world.acct("add", "--guest", Guests.backend, "--import", "-") == 64)
    #expect(world.requests.isEmpty)
  }

  @Test("A guest sign-in whose network fails exits 10 and may be repeated (unknown)")
  func network() async {
    world.serve { _ throws(HTTPFailure) in throw .timedOut }
    await expect(
      10,
      "https://api.example: timed out without an answer",
      "nothing was wrong with the account; try again"
    )
  }

  @Test("A guest's failed renewal keeps the old session")
  func failedRenewal() async {
    await world.addGuest()
    for status in [400, 401, 429, 500] {
      world.serve(status, Guests.refusal("no"))
      #expect(await world.acct("add", "--guest", Guests.backend) != 0)
      #expect(await world.acct("token") == 0)
      #expect(world.out == "\(Guests.token())\n")
    }
  }
}
