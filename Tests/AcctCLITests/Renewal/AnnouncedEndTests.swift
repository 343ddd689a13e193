import AcctTestSupport
import StrictJSON
import Testing

@Suite("The announced end of a session")
struct AnnouncedEndTests {
  private let server = OpenIDServer()
  private var record: RecordedWorld { server.record }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Members of the answers to the sign-in, and to a renewal an hour later.
    let first: JSONObject
    let second: JSONObject
    /// Whether no renewal moves the end; `nil` if there is none.
    let isFixed: Bool?
  }

  /// 10 days after the sign-in.
  private static let end: Int64 = 1_800_864_000
  private static let jwt = JSON.string(Handoffs.token(["exp": JSON(end), "jti": "1"]))
  private static let next = JSON.string(Handoffs.token(["exp": JSON(end), "jti": "2"]))

  static let rows = [
    Row(
      testDescription: "a lifetime that counts down",
      first: ["refresh_expires_in": 864_000],
      second: ["refresh_expires_in": 860_400],
      isFixed: true
    ),
    Row(
      testDescription: "a lifetime that begins anew",
      first: ["refresh_token_expires_in": 864_000],
      second: ["refresh_token_expires_in": 864_000],
      isFixed: false
    ),
    Row(
      testDescription: "a token with an end",
      first: ["refresh_token": jwt],
      second: ["refresh_token": next],
      isFixed: true
    ),
    Row(
      testDescription: "a token that is not replaced",
      first: ["refresh_token": jwt],
      second: ["refresh_token": .null],
      isFixed: true
    ),
    Row(
      testDescription: "a lifetime of 0",
      first: ["refresh_expires_in": 0],
      second: ["refresh_expires_in": 0],
      isFixed: nil
    ),
    Row(
      testDescription: "a lifetime that is no longer told",
      first: ["refresh_expires_in": 864_000],
      second: [:],
      isFixed: nil
    ),
  ]

  @Test("All commands say the same of a session that ends in two days", arguments: rows)
  func ends(row: Row) async {
    server.set { $0.answer = row.first }
    #expect(await server.add() == 0, "\(record.err)")
    record.now += 3600
    server.set { $0.answer = row.second }
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    record.clear()
    #expect(await record.acct("status") == 0)
    #expect(record.out.contains("unless it is renewed before") == (row.isFixed == false), "\(record.out)")
    record.now = Self.end - 4 * 86_400
    #expect(await record.acct("list") == 0)
    #expect(record.err.isEmpty, "\(record.err)")
    record.now = Self.end - 2 * 86_400
    let isFixed = row.isFixed == true
    for words in [["list"], ["status"], ["log"], ["doctor", "--offline"]] {
      record.clear()
      _ = await record.run(words)
      let said = (record.err + [record.out]).contains { $0.contains("2 d") && $0.contains("acct login") }
      #expect(said == isFixed, "\(words): \(record.err) \(record.out)")
    }
    record.clear()
    #expect(await record.acct("metrics") == 0)
    let end = record.out.split(separator: "\n").first { $0.contains(#"of="session""#) }
    #expect((end == nil) == (row.isFixed == nil), "\(record.out)")
    if row.isFixed == true { #expect(end?.hasSuffix(" \(Self.end)") == true) }
  }

  @Test("A header says it on the last day, and a sign-in at once")
  func header() async {
    server.set { $0.answer = ["refresh_token": Self.jwt, "expires_in": 10_000_000] }
    #expect(await server.add() == 0)
    record.now += 3600
    server.set { $0.answer["refresh_token"] = Self.next }
    #expect(await record.acct("refresh", "--force") == 0)
    record.now = Self.end - 2 * 86_400
    #expect(await record.acct("header", "https://as.example/") == 0)
    #expect(record.err.isEmpty, "\(record.err)")
    record.now = Self.end - 43_200
    #expect(await record.acct("header", "https://as.example/") == 0)
    #expect(
      record.err == [
        "acct: sign in again within 12 h, with `acct login alice@as.example`: after that the server ends the session"
      ]
    )
  }
}
