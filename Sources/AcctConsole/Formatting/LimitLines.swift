package import AcctModel
package import StrictJSON

/// A limit in words, such as `3 of 5 left, resets in 14 h 5 min`.
///
/// - Parameters:
///   - limit: The limit as the server sent it.
///   - now: The time of the output.
/// - Returns: The words; a limit that has been reset since is described in the past tense.
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
    .map { $0 > 0 ? "retry in \(duration($0))" : "may retry now" }
  let told = [quantity, reset].compactMap(\.self).joined(separator: isOver ? " " : ", ")
  return [told.isEmpty ? nil : told, wait].compactMap(\.self).joined(separator: ", ")
}

extension RateLimit {
  /// The `LIMIT` object of the contract.
  package func json(at now: Timestamp) -> JSON {
    [
      "origin": .string(origin.description),
      "name": .init(name),
      "limit": .init(limit),
      "remaining": .init(remaining),
      "resetsAt": .init(resetsAt?.description),
      "retryAfterSeconds": .init(retryAfterSeconds),
      "observedAt": .string(observedAt.description),
      "secondsLeft": .init(usableAgainAt.map { max($0.seconds(since: now), 0) }),
    ]
  }

  /// The origin of the limit, and the limit's name.
  package var label: String { [origin.description, name].compactMap(\.self).joined(separator: " ") }

  /// `true` if a new window has begun, in which the amount left is unknown.
  package func isOver(at now: Timestamp) -> Bool { resetsAt.map { $0 <= now } ?? false }
}

/// The limitations of a guest in words, such as `5 edits a day, no save and history`.
package func words(for limitations: GuestLimitations) -> String {
  let features = limitations.featuresDisabled
  let list =
    features.count > 1
    ? "\(features.dropLast().joined(separator: ", ")) and \(features[features.count - 1])"
    : features.first
  return [
    limitations.maxEditsPerDay.map { "\($0) edits a day" }, list.map { "no \($0)" },
  ].compactMap(\.self).joined(separator: ", ")
}
