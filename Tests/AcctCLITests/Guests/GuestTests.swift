import AcctApps
import AcctEngine
import AcctModel
import AcctPorts
import AcctTestSupport
import Release
import StrictJSON
import Testing

@Suite("Guest sessions")
struct GuestTests {
  private let world = RecordedWorld()

  @Test("A guest is named after its backend, has its token's subject and shows its limitations")
  func account() async throws {
    #expect(await world.addGuest() == 0)
    #expect(world.err == ["acct: added guest@api.example"])
    #expect(await world.acct("status", "--json") == 0)
    let account = try #require(world.json?.objectValue?["account"]?.objectValue)
    #expect(account["name"] == "guest@api.example")
    #expect(account["kind"] == "guest" && account["tokenType"] == "guest")
    #expect(account["service"] == "https://api.example")
    #expect(account["origins"] == ["https://api.example"])
    #expect(account["expiresAt"] == "2027-01-15T08:15:00Z")
    let limitations = account["limitations"]?.objectValue
    #expect(limitations?["maxEditsPerDay"] == 5)
    #expect(limitations?["featuresDisabled"] == ["save", "history", "premium_templates"])
    #expect(world.filesText.contains(#""subject":"g1""#))
    _ = await world.acct("status")
    #expect(world.out.contains("5 edits a day, no save, history and premium_templates"))
  }

  @Test("A guest's header lines are the Bearer token and the device id, and make no request")
  func header() async throws {
    await world.addGuest()
    let sent = world.requests.count
    #expect(await world.acct("header", "POST", "https://api.example/api/edit") == 0)
    let device = try #require(world.file(.deviceID)?.dropLast())
    #expect(world.out == "Authorization: Bearer \(Guests.token())\nX-Device-ID: \(device)\n")
    #expect(world.requests.count == sent)
    #expect(await world.acct("token") == 0)
    #expect(world.out == "\(Guests.token())\n")
  }

  @Test("The device id is made once and is the same at sign-in and in headers")
  func deviceID() async throws {
    await world.addGuest()
    await world.addGuest(Guests.token("g2"))
    let device = try #require(world.file(.deviceID)?.dropLast())
    #expect(world.deviceIDs == [String(device), String(device)])
    #expect(try AccountID(String(device)).description == device)
  }

  @Test("A name makes a second guest at a backend, and names the one that is renewed from then on")
  func second() async throws {
    await world.addGuest()
    #expect(await world.addGuest(Guests.token("g2"), "--name", "second") == 0, "\(world.err)")
    #expect(world.accountFiles == 2)
    #expect(await world.acct("token", "-a", "second") == 0)
    #expect(world.out == "\(Guests.token("g2"))\n")
    #expect(await world.addGuest(Guests.token("g3"), "--name", "second") == 0, "\(world.err)")
    #expect(world.accountFiles == 2)
    #expect(await world.acct("token", "-a", "second") == 0)
    #expect(world.out == "\(Guests.token("g3"))\n")
    #expect(Set(world.deviceIDs).count == 1)
  }

  @Test("The status of a guest shows the device id")
  func shownDeviceID() async throws {
    await world.addGuest()
    let device = String(try #require(world.file(.deviceID)?.dropLast()))
    #expect(await world.acct("status") == 0)
    #expect(world.out.contains(device), "\(world.out)")
    _ = await world.acct("status", "--json")
    #expect(world.json?.objectValue?["deviceId"] == .string(device))
  }

  @Test("A damaged device id is reported, kept and sent to no server")
  func damagedDeviceID() async {
    for text in ["", "nonsense\n", "00000000-0000-4000-8000-000000000000 \n"] {
      world.corrupt(.deviceID, with: text)
      #expect(await world.addGuest() == 65)
      #expect(world.err.first == "acct: the file device-id contains no identifier of this machine")
      #expect(world.file(.deviceID) == text)
    }
    #expect(world.requests.isEmpty && world.accountFiles == 0)
  }

  @Test("A guest token without a subject gets a random identity, which the next one keeps")
  func noSubject() async throws {
    let opaque = Handoffs.token(["exp": 1_800_000_900])
    await world.addGuest(opaque)
    let first = await identity()
    #expect(try AccountID(try #require(first)).description == first)
    await world.addGuest(Handoffs.token(["exp": 1_800_000_901]))
    #expect(await identity() == first)
    #expect(world.accountFiles == 1)
  }

  private func identity() async -> String? {
    let id = await world.status("id")?.stringValue.flatMap { try? AccountID($0) }
    let file = id.flatMap { world.file(.account($0)) }.flatMap { try? JSON(parsing: Array($0.utf8)) }
    return file?.objectValue?["subject"]?.stringValue
  }

  @Test("A guest token's `exp` may be an integer, a float or a string")
  func spellings() async {
    for exp: JSON in [1_800_000_800, "1800000800", .number(JSONNumber("1800000800.5") ?? .init(0))] {
      await world.addGuest(Guests.token(exp: exp))
      #expect(await world.status("expiresAt") == "2027-01-15T08:13:20Z")
    }
  }

  @Test("A guest token without `exp` ends after `expiresIn`, and without either at no known time")
  func noExpiry() async {
    for exp: JSON? in [nil, "soon", .number(JSONNumber("1e400") ?? .init(0))] {
      await world.addGuest(Guests.token(exp: exp))
      #expect(await world.status("expiresAt") == "2027-01-15T08:15:00Z")
    }
    for (token, end) in [
      (Guests.token(exp: nil), .null), (Guests.token(exp: nil), "soon"), (Guests.token(exp: nil), 0), ("opaque", -5),
      // It looks like a JWT, and is none.
      ("\(Guests.token().split(separator: ".")[0]).e30", .number(JSONNumber("1e400") ?? .init(0))),
    ] as [(String, JSON)] {
      world.serve(200, Guests.answer(token, changing: ["expiresIn": end]))
      #expect(await world.acct("add", "--guest", Guests.backend) == 0, "\(world.err)")
      #expect(await world.acct("header", "https://api.example/x") == 0)
      #expect(await world.status("state") == "valid")
      #expect(await world.status("expiresAt") == .null)
    }
  }

  @Test("A guest's answer is read under any media type, with a byte order mark and a member twice")
  func blemished() async {
    for (status, type) in [(200, "text/html"), (201, "text/plain; charset=utf-8"), (203, "")] {
      let answer = "\u{FEFF}" + Guests.answer(Guests.token()).dropLast() + #","expiresIn":900}"#
      world.serve(status, answer, [("Content-Type", type)])
      #expect(await world.acct("add", "--guest", Guests.backend) == 0, "\(world.err)")
      #expect(await world.status("state") == "valid")
    }
  }

  @Test("A repeated `add --guest` keeps the account's id, name and origins")
  func renewal() async throws {
    await world.addGuest(Guests.token(), "--name", "visitor")
    let id = await world.status("id")
    _ = await world.acct("allow", "visitor", "https://more.example")
    #expect(await world.addGuest(Guests.token("g2")) == 0)
    #expect(world.err == ["acct: renewed visitor"])
    #expect(await world.status("id") == id)
    #expect(await world.status("origins") == ["https://api.example", "https://more.example"])
    #expect(world.accountFiles == 1 && world.keyring.count == 1)
  }

  @Test("Guests of two backends are two accounts, and removing one keeps the other")
  func removal() async {
    await world.addGuest()
    world.serve(200, Guests.answer(Guests.token("other")))
    #expect(await world.acct("add", "--guest", "http://localhost:8080") == 0)
    #expect(world.err == ["acct: added guest@localhost:8080"])
    #expect(await world.acct("remove", "guest@api.example") == 0)
    #expect(world.accountFiles == 1 && world.keyring.count == 1)
  }

  @Test("A guest token is used to its end and then deleted; the account and a hint remain")
  func expiry() async {
    await world.addGuest()
    world.now += 899
    #expect(await world.acct("header", "https://api.example/x") == 0)
    world.now += 1
    #expect(await world.acct("list", "--json") == 0)
    #expect(world.out.contains(#""state":"expired""#))
    #expect(await world.acct("header", "https://api.example/x") == 4)
    #expect(
      world.err == [
        "acct: the guest session of guest@api.example has expired: its lifetime has ended",
        "acct: hint: `acct login guest@api.example` begins a new one; "
          + "it does not reset this machine's limits",
      ]
    )
    #expect(world.keyring.count == 0 && world.accountFiles == 1)
    #expect(await world.acct("header", "https://api.example/x") == 4)
    #expect(await world.status("state") == "expired")
    #expect(await world.status("reason") == "its lifetime has ended")
    world.serve(200, Guests.answer(Guests.token("g2", exp: 1_800_001_500)))
    #expect(await world.acct("add", "--guest", Guests.backend) == 0)
    #expect(await world.status("state") == "valid")
  }

  @Test("The command `status` also deletes a guest token that has expired, and exits 4")
  func expiredStatus() async {
    await world.addGuest()
    world.now += 1_000
    #expect(await world.acct("status", "--json") == 4)
    #expect(world.out.contains(#""reason":"its lifetime has ended""#))
    #expect(world.keyring.count == 0)
  }

  @Test("A request for more time than a guest token has left exits 4 and deletes nothing")
  func minimum() async {
    await world.addGuest()
    #expect(await world.acct("token", "--min-valid", "1000") == 4)
    #expect(world.err.first?.contains("less time left than requested") == true)
    #expect(await world.acct("token") == 0)
  }

  /// Brings the answer 401 to a request that the guest made with its token of then.
  private func refuse(_ account: Account) async throws {
    let head = ResponseHead(status: 401, statusLine: "HTTP/1.1 401 Unauthorized", fields: [])
    var response = StreamedResponse(head: head, next: { nil }, cancel: {})
    let (url, token) = (try HTTPURL("\(Guests.backend)/x"), try Token(Guests.token()))
    try await Backends(.none).take(&response, to: "GET", url, carrying: token, of: account, world.engine)
  }

  @Test("A guest token that its server rejected is deleted, and the account says so")
  func refused() async throws {
    await world.addGuest()
    let account = try #require(try AccountOverview(world.engine).listing().accounts.first)
    await #expect(throws: EngineError.self) { try await refuse(account) }
    #expect(world.keyring.count == 0)
    #expect(await world.acct("header", "https://api.example/x") == 4)
    #expect(world.err.first?.hasSuffix("has expired: its server rejected it") == true)
    #expect(await world.status("state") == "expired")
  }

  @Test("A rejection of a guest token that was replaced since deletes nothing")
  func refusedLate() async throws {
    await world.addGuest()
    let account = try #require(try AccountOverview(world.engine).listing().accounts.first)
    world.now += 1
    await world.addGuest(Guests.token("g2", exp: 1_800_000_901))
    try await refuse(account)
    #expect(await world.acct("header", "https://api.example/x") == 0)
  }

  @Test("A locked keyring is reported before a guest session is requested")
  func locked() async {
    world.keyring.lock()
    #expect(await world.addGuest() == 6)
    #expect(world.requests.isEmpty && world.accountFiles == 0)
  }

  @Test("The command `status --check` makes no request for a guest")
  func check() async {
    await world.addGuest()
    #expect(await world.acct("status", "--check") == 0)
    #expect(world.requests.count == 1)
    world.now += 900
    #expect(await world.acct("status", "--check") == 4)
    #expect(world.requests.count == 1)
  }
}
