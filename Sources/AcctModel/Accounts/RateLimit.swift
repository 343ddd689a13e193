/// The state of one of a server's limits, as the server last reported it.
package struct RateLimit: Equatable, Sendable {
  /// The origin that set it.
  package var origin: Origin
  /// Its policy's name, where the server names its policies.
  package var name: String?
  /// The quota of a window; 0 or more.
  package var limit: Int64?
  /// The remaining part of the quota; 0 or more.
  package var remaining: Int64?
  /// When there will be more again.
  package var resetsAt: Timestamp?
  /// `Retry-After` in seconds from ``observedAt``; 0 or more.
  package var retryAfterSeconds: Int64?
  /// When the server said so, by this machine's clock.
  package var observedAt: Timestamp

  package init(
    origin: Origin,
    name: String? = nil,
    limit: Int64? = nil,
    remaining: Int64? = nil,
    resetsAt: Timestamp? = nil,
    retryAfterSeconds: Int64? = nil,
    observedAt: Timestamp
  ) {
    self.origin = origin
    self.name = name
    self.limit = limit
    self.remaining = remaining
    self.resetsAt = resetsAt
    self.retryAfterSeconds = retryAfterSeconds
    self.observedAt = observedAt
  }

  /// When another request makes sense: the later of the reset and the end of `Retry-After`.
  package var usableAgainAt: Timestamp? {
    [resetsAt, retryAfterSeconds.map(observedAt.adding)].compactMap(\.self).max()
  }
}

/// A guest's limitations as the backend reports them: shown to people, used for no decision.
package struct GuestLimitations: Equatable, Sendable {
  /// The number of edits that a guest may make a day.
  package var maxEditsPerDay: Int64?
  /// The backend's names of what guests can't use.
  package var featuresDisabled: [String]

  package init(maxEditsPerDay: Int64?, featuresDisabled: [String]) {
    self.maxEditsPerDay = maxEditsPerDay
    self.featuresDisabled = featuresDisabled
  }
}
