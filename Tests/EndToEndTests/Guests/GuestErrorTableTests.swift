import AcctTestSupport
import StrictJSON
import Testing

/// The error table of the guide that guest sessions come from, row by row, by real processes at a
/// real backend.
@Suite("The error table of guest sessions")
struct GuestErrorTableTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    /// What the backend is told to be like.
    let settings: JSON
    let status: Int32
    let words: String

    var testDescription: String { name }
  }

  private static func answer(_ status: Int64, _ body: String) -> JSON {
    ["answer": ["status": .number(JSONNumber(status)), "body": .string(body)]]
  }

  private static let rows = [
    Row(
      name: "authenticationRequired",
      settings: answer(401, #"{"error":{"message":"Authentication required"}}"#),
      status: 4,
      words: "does not accept guests (it answered 401): Authentication required"
    ),
    Row(name: "rateLimited", settings: ["guests_per_day": 0], status: 9, words: "is reached"),
    Row(
      name: "missingDeviceID",
      settings: ["drops_device_id": true],
      status: 11,
      words: "reports that X-Device-ID is missing"
    ),
    Row(name: "badRequest", settings: answer(400, "{}"), status: 11, words: "does not accept guests (it answered 400)"),
    Row(name: "serverError", settings: answer(503, ""), status: 11, words: "failed with 503"),
    Row(name: "noData", settings: answer(200, ""), status: 11, words: "that is not JSON"),
  ]

  @Test("Each rejected guest sign-in has its words and stores nothing", arguments: rows)
  func row(row: Row) async throws {
    let steps = try await GuestSteps(row.settings)
    let added = try await steps.add(expecting: row.status)
    #expect(added.errorText.contains(row.words), "\(added.errorText)")
    #expect(try await steps.home.accounts().isEmpty)
  }

  @Test("A rejected guest session is reported with how to begin another (unauthorized)")
  func unauthorized() async throws {
    let steps = try await GuestSteps()
    _ = try await steps.add()
    try await steps.backend.revoke()
    let refused = try await steps.home.acct("request", steps.url)
    #expect(refused.status == 4)
    #expect(refused.errorText.contains("`acct login guest@"))
    #expect(try await steps.state() == "expired")
  }

  @Test("An invalid guest URL is bad usage before anything is sent (invalidURL)")
  func invalidURL() async throws {
    let steps = try await GuestSteps()
    let refused = try await steps.home.acct("add", "--guest", "not a url")
    #expect(refused.status == 64, "\(refused.errorText)")
    #expect(try await steps.backend.requests().isEmpty)
  }

  @Test("A guest backend that nothing serves is a network failure (unknown)")
  func unreachable() async throws {
    let port = try FreePort().number
    let home = try AcctHome()
    let refused = try await home.acct("add", "--guest", "http://127.0.0.1:\(port)")
    #expect(refused.status == 10, "\(refused.errorText)")
    #expect(try await home.accounts().isEmpty)
  }
}
