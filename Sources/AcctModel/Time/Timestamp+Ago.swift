import Text

extension Timestamp {
  /// Parses a time in the past: a duration such as `2d`, `12h`, `30min` or `90s`, a date (its beginning in UTC), or a
  /// date and a time of RFC 3339.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - now: The time that a duration counts back from.
  /// - Throws: ``ParseError/timestamp``.
  package init(ago text: String, before now: Timestamp) throws(ParseError) {
    let digits = text.utf8.prefix(while: \.isASCIIDigit)
    let units: [String: Int64] = ["s": 1, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800]
    if let unit = units[String(text.dropFirst(digits.count))], (1...6).contains(digits.count),
      let count = Int64(String(decoding: digits, as: UTF8.self))
    {
      self = now.adding(seconds: -count * unit)
    } else {
      try self.init(text.utf8.count == 10 ? text + "T00:00:00Z" : text)
    }
  }
}
