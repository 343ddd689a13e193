import AcctModel

/// A number of seconds in the two largest units that say something: `14 h 5 min`.
func duration(_ seconds: Int64) -> String {
  let units: [(name: String, size: Int64)] = [
    ("y", 365 * 86_400), ("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1),
  ]
  var rest = max(seconds, 0)
  var parts: [String] = []
  for unit in units where parts.count < 2 {
    let count = rest / unit.size
    // The second unit stands right below the first, or not at all: never "1 d 3 s".
    if count > 0 { parts.append("\(count) \(unit.name)") } else if !parts.isEmpty { break }
    rest %= unit.size
  }
  return parts.isEmpty ? "0 s" : parts.joined(separator: " ")
}

/// A time as seen from `now`: `in 54 min`, `now`, or `2 h ago`.
func relative(_ time: Timestamp, to now: Timestamp) -> String {
  let seconds = time.seconds(since: now)
  if seconds == 0 { return "now" }
  return seconds > 0 ? "in \(duration(seconds))" : "\(duration(-seconds)) ago"
}
