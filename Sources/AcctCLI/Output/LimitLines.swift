package import AcctModel
import StrictJSON

/// The lines that show limits, one for each: whose it is, a bar, and the words for it.
///
/// - Parameters:
///   - limits: What was last told.
///   - now: The time to tell it for.
///   - withBars: Whether to draw how much is left.
/// - Returns: The lines; the columns are aligned.
package func limitLines(
  _ limits: [RateLimit],
  at now: Timestamp,
  withBars: Bool
) -> [String] {
  fields(
    limits.map { limit in
      let words = words(for: limit, at: now)
      // Where another limit has a bar, this one's words stand in line with the others'.
      let bar = withBars ? bar(limit, at: now) ?? String(repeating: " ", count: barWidth) : nil
      return (limit.label, [bar, words].compactMap(\.self).joined(separator: "  "))
    }
  )
}

/// A limit in words, such as `3 of 5 left, resets in 14 h 5 min`.
///
/// - Parameters:
///   - limit: What was told.
///   - now: The time to tell it for.
/// - Returns: The words; what a reset has overtaken is told in the past tense.
package func words(for limit: RateLimit, at now: Timestamp) -> String {
  let isOver = limit.isOver(at: now)
  let quantity: String? =
    switch (limit.remaining, limit.limit) {
    case (let remaining?, let most?): "\(remaining) of \(most) left"
    case (let remaining?, nil): "\(remaining) left"
    case (nil, let most?): "\(most) in all"
    case (nil, nil): nil
    }
  let reset = limit.resetsAt.map { time in
    isOver
      ? "before it was reset \(duration(now.seconds(since: time))) ago"
      : "resets in \(duration(time.seconds(since: now)))"
  }
  let wait = limit.retryAfterSeconds
    .map { limit.observedAt.adding(seconds: $0).seconds(since: now) }
    .map { $0 > 0 ? "retry in \(duration($0))" : "no wait any more" }
  let told = [quantity, reset].compactMap(\.self).joined(separator: isOver ? " " : ", ")
  return [told.isEmpty ? nil : told, wait].compactMap(\.self).joined(separator: ", ")
}

/// The `limits` object of the contract.
func limitsJSON(_ limits: [RateLimit], of account: Account) -> JSON {
  [
    "version": 1,
    "account": .string(account.id.description),
    "limits": .array(limits.map(\.json)),
  ]
}

extension RateLimit {
  /// The `LIMIT` object of the contract.
  var json: JSON {
    [
      "origin": .string(origin.description),
      "name": .init(name),
      "limit": .init(limit),
      "remaining": .init(remaining),
      "resetsAt": .init(resetsAt?.description),
      "retryAfterSeconds": .init(retryAfterSeconds),
      "observedAt": .string(observedAt.description),
    ]
  }

  /// Whose limit it is, and which of them.
  var label: String { [origin.description, name].compactMap(\.self).joined(separator: " ") }

  /// Whether a new window has begun, in which nobody knows what is left.
  fileprivate func isOver(at now: Timestamp) -> Bool { resetsAt.map { $0 <= now } ?? false }
}

/// In characters.
private let barWidth = 10

/// How much is left, of ten; something left is never drawn as nothing.
private func bar(_ limit: RateLimit, at now: Timestamp) -> String? {
  guard let most = limit.limit, most > 0, let remaining = limit.remaining, !limit.isOver(at: now)
  else { return nil }
  let share = Double(min(remaining, most)) / Double(most) * Double(barWidth)
  let filled = Int(share.rounded(.up))
  return String(repeating: "█", count: filled) + String(repeating: "░", count: barWidth - filled)
}
