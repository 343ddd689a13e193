import Text

/// Times as HTTP fields write them (RFC 9110, section 5.6.7).
package enum HTTPDate {
  /// Parses a time in any of the three forms that a recipient must take.
  ///
  /// These are `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6
  /// 08:49:37 1994`. A year of two digits is read as in a cookie (RFC 6265, section 5.1.1): from 70 on it is of the
  /// last century. The day of the week is not checked.
  ///
  /// - Parameter text: The field's value.
  /// - Returns: The time; `nil` for anything else.
  package static func parse(_ text: String) -> Timestamp? {
    let words = text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-") }.map { Substring($0) }
    guard let weekday = words.first, days.contains(where: weekday.hasPrefix) else { return nil }
    switch words.count {
    case 6 where weekday.hasSuffix(",") && words[5] == "GMT": return time(words[3], words[2], words[1], words[4])
    case 5 where !weekday.hasSuffix(","): return time(words[4], words[1], words[2], words[3])
    default: return nil
    }
  }

  private static func time(_ year: Substring, _ month: Substring, _ day: Substring, _ time: Substring) -> Timestamp? {
    guard let month = months.firstIndex(of: month), let year = fullYear(year), (1...2).contains(day.utf8.count)
    else { return nil }
    return try? Timestamp("\(year)-\(padded("\(month + 1)"[...]))-\(padded(day))T\(time)Z")
  }

  private static func fullYear(_ year: Substring) -> String? {
    guard year.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    switch year.utf8.count {
    case 2: return (year < "70" ? "20" : "19") + year
    case 4: return String(year)
    default: return nil
    }
  }

  private static func padded(_ number: Substring) -> String { number.utf8.count == 1 ? "0\(number)" : String(number) }

  private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months: [Substring] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
