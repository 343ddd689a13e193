package import AcctModel
package import AcctPorts
package import AcctProtocol

/// A number of seconds in the two largest units: `14 h 5 min`.
package func duration(_ seconds: Int64) -> String {
  let units: [(name: String, size: Int64)] = [("y", 365 * 86_400), ("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)]
  var rest = max(seconds, 0)
  var parts: [String] = []
  for unit in units where parts.count < 2 {
    let count = rest / unit.size
    // The second unit is the next smaller one, or is left out: never "1 d 3 s".
    if count > 0 { parts.append("\(count) \(unit.name)") } else if !parts.isEmpty { break }
    rest %= unit.size
  }
  return parts.isEmpty ? "0 s" : parts.joined(separator: " ")
}

/// The time for which an address is valid; a minute or so in seconds, as its server says it.
package func validity(_ seconds: Int64) -> String { seconds < 120 ? "\(seconds) s" : duration(seconds) }

/// A time as seen from `now`: `in 54 min`, `now`, or `2 h ago`.
package func relative(_ time: Timestamp, to now: Timestamp) -> String {
  let seconds = time.seconds(since: now)
  if seconds == 0 { return "now" }
  return seconds > 0 ? "in \(duration(seconds))" : "\(duration(-seconds)) ago"
}

/// When a server accepts another request, such as `try again in 14 h 5 min, at 13:37`, or `the limit resets at 13:37,
/// in 14 h 5 min`.
///
/// The time of day is the user's local one, with its date where that is not today's.
///
/// - Parameters:
///   - retryAfter: The time that the server named.
///   - clock: The clock of this machine, and its time zone.
/// - Returns: The words; `nil` for a time more than ten years ahead, which is not usable.
package func words(for retryAfter: RetryAfter, by clock: Clock) -> String? {
  let now = clock.now()
  let seconds = retryAfter.seconds(from: now)
  guard seconds <= 10 * 366 * 86_400 else { return nil }
  guard seconds > 0 else { return "try again now" }
  let (wait, time) = (duration(seconds), moment(now.adding(seconds: seconds), by: clock))
  if case .reset = retryAfter { return "the limit resets at \(time), in \(wait)" }
  return "try again in \(wait), at \(time)"
}

/// A moment as the user's time of day, with its date where that is not today's: `13:37`, `13:37 on 2027-01-15`.
package func moment(_ time: Timestamp, by clock: Clock) -> String {
  let (date, minutes) = local(time, clock)
  return date == local(clock.now(), clock).date ? minutes : "\(minutes) on \(date)"
}

/// Date and time of day in the user's time zone, `2027-01-15` and `13:37`.
private func local(_ moment: Timestamp, _ clock: Clock) -> (date: String, time: String) {
  // Written as if it were UTC: RFC 3339 has both at fixed places.
  let text = moment.adding(seconds: clock.localOffset(moment)).description
  return (String(text.prefix(10)), String(text.dropFirst(11).prefix(5)))
}

/// The day of a time in seconds since 1970, in UTC: `2027-01-15`.
package func day(_ seconds: Int64) -> String { String(Timestamp(clamped: seconds).description.prefix(10)) }
