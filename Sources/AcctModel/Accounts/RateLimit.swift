/// The state of one of a server's limits, as the server last reported it.
package struct RateLimit: Equatable, Sendable {
  /// The part of an origin that a response describes, whose earlier descriptions it replaces.
  package enum Extent: String, Sendable {
    /// All of its limits.
    case origin
    /// One of several resources, which the limit is named after; the others keep their limits.
    case resource
    /// The renewals of tokens, which requests for anything else say nothing of.
    case renewals
  }

  /// The origin that set it.
  package var origin: Origin
  package var extent: Extent
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
    extent: Extent = .origin,
    name: String? = nil,
    limit: Int64? = nil,
    remaining: Int64? = nil,
    resetsAt: Timestamp? = nil,
    retryAfterSeconds: Int64? = nil,
    observedAt: Timestamp
  ) {
    self.origin = origin
    self.extent = extent
    self.name = name
    self.limit = limit
    self.remaining = remaining
    self.resetsAt = resetsAt
    self.retryAfterSeconds = retryAfterSeconds
    self.observedAt = observedAt
  }

  /// When another request makes sense: the later of the reset and the end of `Retry-After`.
  package var usableAgainAt: Timestamp? { [resetsAt, retryAt].compactMap(\.self).max() }

  private var retryAt: Timestamp? { retryAfterSeconds.map(observedAt.adding) }

  /// `true` if nothing is known to be left: the quota is used up, or the server asked for a wait, which is not over.
  package func isUsedUp(at now: Timestamp) -> Bool {
    if let retryAt, retryAt > now { return true }
    return remaining == 0 && usableAgainAt.map { $0 > now } ?? true
  }
}

extension [RateLimit] {
  /// Takes the limits from a response, in the place of what it replaces.
  package mutating func take(_ told: [RateLimit]) {
    guard let first = told.first else { return }
    let extents = Set(told.map(\.extent))
    let isReplaced = { (known: RateLimit) in
      guard known.origin == first.origin else { return false }
      if known.extent == .renewals || extents == [.renewals] { return extents == [known.extent] }
      return known.extent != .resource || !extents.contains(.resource) || told.contains { $0.name == known.name }
    }
    // In its old position, so that the order does not change with every response.
    let place = firstIndex(where: isReplaced) ?? endIndex
    removeAll(where: isReplaced)
    insert(contentsOf: told, at: place)
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
