import AcctModel
import Text

/// The values of rate-limit fields that are no structured fields, as servers in fact write them.
///
/// A text that is no number, or a number that is too large, counts as not there.
enum LimitValue {
  /// A number of requests: a fraction is dropped, and a number below zero stays below.
  static func count(_ text: String) -> Int64? { number(text).map { Int64($0.rounded(.down)) } }

  /// A moment: seconds from `observed`, seconds or milliseconds since 1970, a duration such as `6m0s`, an HTTP date, or
  /// RFC 3339.
  ///
  /// Below 1,000,000,000 a number counts from `observed` (no window lasts 31 years), and below
  /// 100,000,000,000 it counts seconds since 1970. A fraction is rounded up, so that the moment has
  /// come when it says so. A negative number is rejected.
  ///
  /// - Parameters:
  ///   - text: The value.
  ///   - observed: When it was read.
  /// - Returns: The moment; `nil` for a text that can't be read, or a time more than ten years ahead.
  static func moment(_ text: String, from observed: Timestamp) -> Timestamp? {
    let moment: Timestamp?
    if let number = number(text) {
      moment = self.moment(number, from: observed)
    } else if let seconds = duration(text) {
      moment = observed.adding(seconds: seconds)
    } else {
      moment = HTTPDate.parse(text) ?? (try? Timestamp(text))
    }
    guard let moment, moment.seconds(since: observed) <= decade else { return nil }
    return moment
  }

  private static func moment(_ number: Double, from observed: Timestamp) -> Timestamp? {
    switch number.rounded(.up) {
    case ..<0: observed
    case ..<1e9: observed.adding(seconds: Int64(number.rounded(.up)))
    case ..<1e11: Timestamp(secondsSince1970: Int64(number.rounded(.up)))
    default: Timestamp(secondsSince1970: Int64((number / 1_000).rounded(.up)))
    }
  }

  /// Whole seconds of a duration as Go prints it: `6m0s`, `8.64s`, `120ms`; a fraction is rounded up.
  private static func duration(_ text: String) -> Int64? {
    var seconds = 0.0
    var rest = text.utf8[...]
    repeat {
      let digits = rest.prefix { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
      let unit = rest[digits.endIndex...].prefix { $0 >= UInt8(ascii: "a") }
      guard let number = number(String(Substring(digits))), let size = units[String(Substring(unit))] else {
        return nil
      }
      seconds += number * size
      rest = rest[unit.endIndex...]
    } while !rest.isEmpty
    return seconds <= Double(decade) ? Int64(seconds.rounded(.up)) : nil
  }

  private static let units = [
    "d": 86_400, "h": 3_600, "m": 60, "s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9,
  ]
  private static let decade: Int64 = 10 * 366 * 86_400

  /// A decimal number of at most 15 digits before the point, so that every one is exact.
  private static func number(_ text: String) -> Double? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), (1...15).contains(parts[0].utf8.count),
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isASCIIDigit) })
    else { return nil }
    return Double(text)
  }
}
