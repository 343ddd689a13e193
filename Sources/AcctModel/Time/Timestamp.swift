/// A point in time, in whole seconds since 1970-01-01T00:00:00Z, within the years 0000 to 9999.
///
/// Everything that acct keeps or sends counts in seconds: `iat`, `exp`, `expires_in`. A value of
/// this type can always be written as RFC 3339.
package struct Timestamp: Hashable, Comparable, Sendable {
  /// Seconds since the epoch; negative before it.
  package let secondsSince1970: Int64

  /// Creates a time, or `nil` outside the years 0000 to 9999.
  package init?(secondsSince1970 seconds: Int64) {
    guard (Self.minimum...Self.maximum).contains(seconds) else { return nil }
    secondsSince1970 = seconds
  }

  /// Creates a time from a number of seconds or, from 100,000,000,000 on, of milliseconds.
  ///
  /// Backends use either; no time in seconds that large is within five thousand years. A time too
  /// early to be written becomes the earliest one, since it is past and not unknown. Returns `nil`
  /// for anything that is not a usable time, such as `1e400` or NaN.
  package init?(number: Double) {
    guard number.isFinite, number < 1e18 else { return nil }
    let seconds = number >= 100_000_000_000 ? number / 1_000 : max(number, Double(Self.minimum))
    self.init(secondsSince1970: Int64(seconds.rounded(.down)))
  }

  /// 1970-01-01T00:00:00Z.
  package static let epoch = Timestamp(clamped: 0)

  /// Creates the nearest time that can be written.
  package init(clamped seconds: Int64) { secondsSince1970 = min(max(seconds, Self.minimum), Self.maximum) }

  private static let minimum: Int64 = -62_167_219_200
  private static let maximum: Int64 = 253_402_300_799

  /// The time `seconds` later, held within the years that can be written.
  package func adding(seconds: Int64) -> Timestamp {
    let (sum, overflow) = secondsSince1970.addingReportingOverflow(seconds)
    return Timestamp(clamped: overflow ? (seconds < 0 ? .min : .max) : sum)
  }

  /// Seconds from `other` to this time; negative if this one is earlier.
  package func seconds(since other: Timestamp) -> Int64 { secondsSince1970 - other.secondsSince1970 }

  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.secondsSince1970 < right.secondsSince1970 }
}
