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

// The proleptic Gregorian calendar in whole days, after Howard Hinnant's "chrono-Compatible
// Low-Level Date Algorithms": years begin in March, so that the leap day comes last.

/// Days from 1970-01-01 to a civil date.
func days(fromCivil year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
  let shifted = month <= 2 ? year - 1 : year
  let (era, yearOfEra) = shifted.flooredQuotientAndRemainder(by: 400)
  let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
  let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/// The civil date of a day counted from 1970-01-01.
func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
  let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(by: 146_097)
  let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shiftedMonth = (5 * dayOfYear + 2) / 153
  let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
  let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
}

/// The length of a month.
func daysIn(month: Int64, year: Int64) -> Int64 {
  switch month {
  case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
  case 4, 6, 9, 11: 30
  default: 31
  }
}

extension Int64 {
  func flooredQuotientAndRemainder(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
