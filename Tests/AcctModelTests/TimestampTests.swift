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
    "A token that can be renewed is valid with more than five minutes left, any other to its end",
    arguments: [301, 300, 1, 0, -1, -100_000] as [Int64]
  )
  func boundary(left: Int64) throws {
    #expect(try state(left: left, canRenew: true) == (left > 300 ? .valid : .expiring))
    #expect(try state(left: left, canRenew: false) == (left > 0 ? .valid : .expired))
  }

  @Test("A token whose end is unknown is never past")
  func unknown() throws {
    #expect(try state(left: nil, canRenew: true) == .valid)
    #expect(try state(left: nil, canRenew: false) == .valid)
  }

  @Test("A renewable token of less than a quarter of an hour is due when a third of its life is left")
  func shortLived() throws {
    #expect(try state(left: 81, canRenew: true, lifetime: 240) == .valid)
    #expect(try state(left: 80, canRenew: true, lifetime: 240) == .expiring)
    #expect(try state(left: 300, canRenew: true, lifetime: 899) == .valid)
    #expect(try state(left: 300, canRenew: true, lifetime: 900) == .expiring)
    #expect(try state(left: 300, canRenew: true, lifetime: 90_000) == .expiring)
    #expect(try state(left: 1, canRenew: false, lifetime: 240) == .valid)
    #expect(try state(left: 1, canRenew: true, lifetime: -5) == .valid)
  }

  @Test("A renewable token that has more left than its life was stored by a clock that was ahead, and is due")
  func ahead() throws {
    #expect(try state(left: 3900, canRenew: true, lifetime: 3600) == .valid)
    #expect(try state(left: 3901, canRenew: true, lifetime: 3600) == .expiring)
    #expect(try state(left: 2_500_000_000, canRenew: true, lifetime: 3600) == .expiring)
    #expect(try state(left: 2_500_000_000, canRenew: true) == .valid)
    #expect(try state(left: 2_500_000_000, canRenew: false, lifetime: 3600) == .valid)
  }

  @Test(
    "A token ends at the earlier of its own end and its lifetime, by the server's clock if they differ",
    arguments: [
      // What the server told, the token's own end and the server's time, both from now, and what is left.
      (3600, nil, nil, 3600), (nil, 500, nil, 500), (3600, 600, nil, 600), (600, 3600, nil, 600), (nil, nil, nil, nil),
      // An end that has passed at the issue says nothing beside a lifetime.
      (3600, -5, nil, 3600), (3600, 0, nil, 3600), (nil, -5, nil, -5),
      // This clock is ahead, or behind.
      (nil, -3600, -7200, 3600), (3600, -3600, -7200, 3600), (nil, 10_800, 7200, 3600), (7200, 10_800, 7200, 3600),
      // The difference is within the buffer, which is a third of a short lifetime.
      (nil, 600, 300, 600), (nil, 600, 301, 299), (60, 70, 20, 60), (60, 70, 21, 49),
    ] as [(Int64?, Int64?, Int64?, Int64?)]
  )
  func granted(seconds: Int64?, end: Int64?, server: Int64?, left: Int64?) throws {
    let now = try Timestamp("2026-01-31T09:05:07Z")
    let lifetime = TokenLifetime(
      granted: seconds,
      until: end.map(now.adding),
      by: server.map(now.adding),
      at: now,
      canRenew: true
    )
    #expect(lifetime.secondsLeft(at: now) == left)
    #expect(lifetime.lifetime == left)
  }

  @Test("A caller may require another minimum of time left")
  func minimum() throws {
    #expect(try state(left: 100, canRenew: true, minimum: 99) == .valid)
    #expect(try state(left: 1_000, canRenew: true, minimum: 1_000) == .expiring)
    #expect(try state(left: 0, canRenew: false, minimum: 0) == .expired)
  }
}
