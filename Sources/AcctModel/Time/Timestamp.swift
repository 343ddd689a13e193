import Text

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

extension Timestamp {
  /// Parses a time in the past: a duration such as `2d`, `12h`, `30min` or `90s`, a date (its beginning in UTC), or a
  /// date and a time of RFC 3339.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - now: The time that a duration counts back from.
  /// - Throws: ``ParseError/timestamp``.
  package init(ago text: String, before now: Timestamp) throws(ParseError) {
    if let seconds = Int64(span: text) {
      self = now.adding(seconds: -seconds)
    } else {
      try self.init(text.utf8.count == 10 ? text + "T00:00:00Z" : text)
    }
  }
}

extension Timestamp {
  /// The hour that it is in, counted since 1970.
  package var hour: Int64 { secondsSince1970 / 3_600 }
}

extension Int64 {
  /// Reads a length of time, in seconds: `90s`, `20m` or `20min`, `2h`, `3d`, `2w`.
  ///
  /// It is `nil` for any other text, and for more than six digits.
  ///
  /// - Parameter text: The text as a person types it.
  package init?(span text: String) {
    let digits = text.utf8.prefix(while: \.isASCIIDigit)
    let unit: Int64? =
      switch text.dropFirst(digits.count) {
      case "s": 1
      case "m", "min": 60
      case "h": 3_600
      case "d": 86_400
      case "w": 604_800
      default: nil
      }
    guard let unit, (1...6).contains(digits.count), let count = Int64(String(decoding: digits, as: UTF8.self))
    else { return nil }
    self = count * unit
  }
}

extension Timestamp: CustomStringConvertible {
  /// RFC 3339 in UTC with whole seconds, such as `2026-01-31T09:05:00Z`.
  package var description: String {
    let (days, second) = secondsSince1970.flooredQuotientAndRemainder(by: 86_400)
    let (year, month, day) = civil(fromDays: days)
    let text = [UInt8](capacity: 20) { text in
      append(year / 100, nil, to: &text)
      append(year % 100, "-", to: &text)
      append(month, "-", to: &text)
      append(day, "T", to: &text)
      append(second / 3_600, ":", to: &text)
      append(second / 60 % 60, ":", to: &text)
      append(second % 60, "Z", to: &text)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Parses a `date-time` of RFC 3339, section 5.6.
  ///
  /// A space may stand for the `T`; a fraction is dropped; a leap second counts as the second
  /// before it.
  ///
  /// - Parameter text: The text to parse.
  /// - Throws: ``ParseError/timestamp``.
  package init(_ text: String) throws(ParseError) {
    guard let seconds = parse(rfc3339: Array(text.utf8)), let time = Timestamp(secondsSince1970: seconds)
    else { throw .timestamp }
    self = time
  }
}

/// Seconds since the epoch, or `nil` for anything but RFC 3339.
private func parse(rfc3339 bytes: [UInt8]) -> Int64? {
  var scanner = Digits(bytes)
  guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"),
    let day = scanner.number(2), scanner.take("T") || scanner.take("t") || scanner.take(" "),
    let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2), scanner.take(":"),
    let second = scanner.number(2)
  else { return nil }
  if scanner.take(".") { guard scanner.skipDigits() else { return nil } }
  guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
  guard (1...12).contains(month), (1...daysIn(month: month, year: year)).contains(day),
    hour < 24, minute < 60, second <= 60
  else { return nil }
  return days(fromCivil: year, month, day) * 86_400 + hour * 3_600 + minute * 60 + min(second, 59) - offset
}

private struct Digits {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  private var digit: Int64? {
    guard position < bytes.count, (48...57).contains(bytes[position]) else { return nil }
    return Int64(bytes[position] - 48)
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
    position += 1
    return true
  }

  mutating func number(_ count: Int) -> Int64? {
    var value: Int64 = 0
    for _ in 0..<count {
      guard let digit else { return nil }
      value = value * 10 + digit
      position += 1
    }
    return value
  }

  mutating func skipDigits() -> Bool {
    let start = position
    while digit != nil { position += 1 }
    return position > start
  }

  /// Seconds east of UTC.
  mutating func offset() -> Int64? {
    if take("Z") || take("z") { return 0 }
    let sign: Int64
    if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
    guard let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60 else { return nil }
    return sign * (hours * 3_600 + minutes * 60)
  }
}

/// Writes a number of two digits, and the separator that follows it.
private func append(_ value: Int64, _ end: Unicode.Scalar?, to text: inout OutputSpan<UInt8>) {
  text.append(UInt8(ascii: "0") + UInt8(value / 10))
  text.append(UInt8(ascii: "0") + UInt8(value % 10))
  if let end { text.append(UInt8(ascii: end)) }
}
