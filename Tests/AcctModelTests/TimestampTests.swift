import AcctModel
import Testing

@Suite("Times")
struct TimestampTests {
  @Test(
    "An RFC 3339 time is read and written in UTC",
    arguments: [
      ("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z"),
      ("2026-01-31T09:05:07Z", 1_769_850_307, "2026-01-31T09:05:07Z"),
      ("2026-01-31t09:05:07z", 1_769_850_307, "2026-01-31T09:05:07Z"),
      ("2026-01-31 09:05:07Z", 1_769_850_307, "2026-01-31T09:05:07Z"),
      ("2026-01-31T09:05:07.999999999Z", 1_769_850_307, "2026-01-31T09:05:07Z"),
      ("2026-01-31T11:05:07+02:00", 1_769_850_307, "2026-01-31T09:05:07Z"),
      ("2026-01-31T00:35:07-08:30", 1_769_850_307, "2026-01-31T09:05:07Z"),
      ("2000-02-29T00:00:00Z", 951_782_400, "2000-02-29T00:00:00Z"),
      ("2016-12-31T23:59:60Z", 1_483_228_799, "2016-12-31T23:59:59Z"),
      ("1969-12-31T23:59:59Z", -1, "1969-12-31T23:59:59Z"),
      ("0000-01-01T00:00:00Z", -62_167_219_200, "0000-01-01T00:00:00Z"),
      ("9999-12-31T23:59:59Z", 253_402_300_799, "9999-12-31T23:59:59Z"),
    ]
  )
  func reads(text: String, seconds: Int64, written: String) throws {
    let time = try Timestamp(text)
    #expect(time.secondsSince1970 == seconds)
    #expect(time.description == written)
  }

  @Test("Every day of a leap cycle is written as it is read")
  func roundTrip() throws {
    for day in stride(from: Int64(-719_528), through: 2_932_896, by: 97) {
      let time = try #require(Timestamp(secondsSince1970: day * 86_400 + 86_399))
      #expect(try Timestamp(time.description) == time)
    }
  }

  @Test(
    "A text in any other form is not a time",
    arguments: [
      "", "2026-01-31", "2026-01-31T09:05:07", "2026-01-31T09:05Z", "2026-1-31T09:05:07Z", "2026-02-29T00:00:00Z",
      "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
      "2026-01-00T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T00:60:00Z", "2026-01-31T00:00:61Z",
      "2026-01-31T09:05:07.Z", "2026-01-31T09:05:07+24:00", "2026-01-31T09:05:07+0200", "2026-01-31T09:05:07Z ",
      " 2026-01-31T09:05:07Z", "2026-01-31T09:05:07ZZ", "soon", "0000-01-01T00:00:00+00:01",
      "9999-12-31T23:59:59-00:01", "٢٠٢٦-01-31T09:05:07Z",
    ]
  )
  func refuses(text: String) {
    #expect(throws: ParseError.timestamp) { try Timestamp(text) }
  }

  @Test("A number is a time in seconds, and in milliseconds from 100,000,000,000 on")
  func numbers() {
    #expect(Timestamp(number: 1_769_850_307)?.secondsSince1970 == 1_769_850_307)
    #expect(Timestamp(number: 1_769_850_307.9)?.secondsSince1970 == 1_769_850_307)
    #expect(Timestamp(number: 1_769_850_307_999)?.secondsSince1970 == 1_769_850_307)
    #expect(Timestamp(number: 99_999_999_999)?.secondsSince1970 == 99_999_999_999)
    #expect(Timestamp(number: 100_000_000_000)?.secondsSince1970 == 100_000_000)
    #expect(Timestamp(number: -1.5)?.secondsSince1970 == -2)
    #expect(Timestamp(number: -1e18)?.description == "0000-01-01T00:00:00Z")
    for unusable in [Double.nan, .infinity, -.infinity, 1e300] {
      #expect(Timestamp(number: unusable) == nil)
    }
  }

  @Test("Adding seconds stays within the times that can be written")
  func adding() throws {
    let time = try Timestamp("2026-01-31T09:05:07Z")
    #expect(time.adding(seconds: 60).seconds(since: time) == 60)
    #expect(time.adding(seconds: .max).description == "9999-12-31T23:59:59Z")
    #expect(time.adding(seconds: .min).description == "0000-01-01T00:00:00Z")
    #expect(Timestamp(secondsSince1970: 253_402_300_800) == nil)
  }
}

@Suite("The time left of a token")
struct TokenLifetimeTests {
  private func state(
    left: Int64?,
    canRenew: Bool,
    lifetime: Int64? = nil,
    minimum: Int64? = nil
  ) throws -> SessionState {
    let now = try Timestamp("2026-01-31T09:05:07Z")
    let expiry = left.map { now.adding(seconds: $0) }
    let tokenLifetime = TokenLifetime(expiresAt: expiry, lifetime: lifetime, canRenew: canRenew)
    return tokenLifetime.state(at: now, leaving: minimum)
  }

  @Test(
    "A token with more than five minutes left is valid, and with five minutes it is not",
    arguments: [301, 300, 1, 0, -1, -100_000] as [Int64]
  )
  func boundary(left: Int64) throws {
    #expect(try state(left: left, canRenew: true) == (left > 300 ? .valid : .expiring))
    #expect(try state(left: left, canRenew: false) == (left > 300 ? .valid : .expired))
  }

  @Test("A token whose end is unknown is never past")
  func unknown() throws {
    #expect(try state(left: nil, canRenew: true) == .valid)
    #expect(try state(left: nil, canRenew: false) == .valid)
  }

  @Test("A renewable token of less than ten minutes is due at half of its life")
  func shortLived() throws {
    #expect(try state(left: 121, canRenew: true, lifetime: 240) == .valid)
    #expect(try state(left: 120, canRenew: true, lifetime: 240) == .expiring)
    #expect(try state(left: 300, canRenew: true, lifetime: 599) == .valid)
    #expect(try state(left: 300, canRenew: true, lifetime: 600) == .expiring)
    #expect(try state(left: 121, canRenew: false, lifetime: 240) == .expired)
    #expect(try state(left: 1, canRenew: true, lifetime: -5) == .valid)
  }

  @Test("A caller may require another minimum of time left")
  func minimum() throws {
    #expect(try state(left: 100, canRenew: true, minimum: 99) == .valid)
    #expect(try state(left: 1_000, canRenew: true, minimum: 1_000) == .expiring)
    #expect(try state(left: 0, canRenew: false, minimum: 0) == .expired)
  }
}
