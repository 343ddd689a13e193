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
