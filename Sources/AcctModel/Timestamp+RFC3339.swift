extension Timestamp: CustomStringConvertible {
  /// RFC 3339 in UTC with whole seconds, such as `2026-01-31T09:05:00Z`.
  package var description: String {
    let (days, second) = secondsSince1970.flooredQuotientAndRemainder(by: 86_400)
    let (year, month, day) = civil(fromDays: days)
    let clock = [second / 3_600, second / 60 % 60, second % 60].map { padded($0, to: 2) }
    return "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))"
      + "T\(clock.joined(separator: ":"))Z"
  }

  /// Parses RFC 3339 (section 5.6).
  ///
  /// That is a full date, `T` or a space, a time with optional fraction, and `Z` or a numeric
  /// offset. A leap second counts as the second before it.
  ///
  /// - Parameter text: The text to parse.
  /// - Throws: ``Malformed/timestamp``.
  package init(_ text: String) throws(Malformed) {
    guard let seconds = parse(rfc3339: Array(text.utf8)),
      let time = Timestamp(secondsSince1970: seconds)
    else { throw .timestamp }
    self = time
  }
}

/// Seconds since the epoch, or `nil` for anything but RFC 3339.
private func parse(rfc3339 bytes: [UInt8]) -> Int64? {
  var scanner = Digits(bytes)
  guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2),
    scanner.take("-"), let day = scanner.number(2),
    scanner.take("T") || scanner.take("t") || scanner.take(" "),
    let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2),
    scanner.take(":"), let second = scanner.number(2)
  else { return nil }
  if scanner.take(".") { guard scanner.skipDigits() else { return nil } }
  guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
  guard (1...12).contains(month), (1...daysIn(month: month, year: year)).contains(day),
    hour < 24, minute < 60, second <= 60
  else { return nil }
  return days(fromCivil: year, month, day) * 86_400 + hour * 3_600 + minute * 60
    + min(second, 59) - offset
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
    guard let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60
    else { return nil }
    return sign * (hours * 3_600 + minutes * 60)
  }
}

private func padded(_ value: Int64, to width: Int) -> String {
  let digits = String(value)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
