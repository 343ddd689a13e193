import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// A backend's answers to a guest's own requests.
@Suite("Requests of a guest")
struct RequestGuestTests {
  private let world = RecordedWorld()
  private let url = "https://api.example/edit"

  private func serve(_ status: Int, _ message: String) {
    world.serve(status, Guests.refusal(message), [("Content-Type", "application/json")])
  }

  @Test("A guest token that the backend rejects is deleted, and the hint names how to get a new one")
  func refused() async {
    await world.addGuest()
    serve(401, "Invalid or expired token")
    #expect(await world.acct("request", url) == 4)
    #expect(world.out == Guests.refusal("Invalid or expired token"))
    #expect(
      world.err == [
        "acct: the guest session of guest@api.example has expired: its server rejected it",
        "acct: hint: `acct login guest@api.example` begins a new one; "
          + "it does not reset this machine's limits",
      ]
    )
    #expect(world.keyring.count == 0 && world.accountFiles == 1)
    #expect(await world.status("state") == "expired")
  }

  @Test("A 401 of another origin does not affect the guest token of the backend")
  func refusedElsewhere() async {
    await world.addGuest(Guests.token(), "--allow-origin", "https://cdn.example")
    serve(401, "Who are you?")
    #expect(await world.acct("request", "https://cdn.example/picture") == 4)
    #expect(world.err.first?.hasPrefix("acct: https://cdn.example answered 401") == true)
    #expect(world.keyring.count == 1)
    #expect(await world.acct("token") == 0)
  }

  @Test("A guest token that was replaced during the request is kept")
  func refusedLate() async throws {
    await world.addGuest()
    let id = try AccountID(try #require(await world.status("id")?.stringValue))
    world.serve { [world] _ throws(HTTPFailure) in
      // Another terminal has begun a new session, which the account's file tells.
      if let file = world.file(.account(id)) {
        world.corrupt(.account(id), with: file.replacing("2027-01-15T08:15:00Z", with: "2027-01-15T08:16:00Z"))
      }
      return HTTPResponse(status: 401, fields: [], body: Secret(""))
    }
    #expect(await world.acct("request", url) == 4)
    #expect(world.err.first?.hasPrefix("acct: https://api.example answered 401") == true)
    #expect(world.keyring.count == 1)
    #expect(await world.acct("token") == 0)
  }

  @Test("A 400 that names X-Device-ID is an error of its own, with the answer written in full")
  func missingDeviceID() async {
    await world.addGuest()
    let message = "X-Device-ID header is required for guest users"
    serve(400, message)
    #expect(await world.acct("request", url) == 1)
    #expect(world.out == Guests.refusal(message))
    #expect(world.err.first?.contains("reports that X-Device-ID is missing") == true)
    serve(400, "Invalid request")
    #expect(await world.acct("request", url) == 1)
    #expect(world.out == Guests.refusal("Invalid request"))
    #expect(world.err == ["acct: https://api.example answered 400"])
    #expect(world.deviceIDs.allSatisfy { $0 != nil } && Set(world.deviceIDs).count == 1)
  }
}
