import AcctPorts

/// The member to ask next, and the knowledge from those that failed.
struct Round {
  /// The member to ask.
  private(set) var current: Int
  /// `true` if a member may have carried the call out, or may yet.
  private(set) var mayBeDone = false
  /// The failure that says most, and latest, about why no member has answered.
  private(set) var failure = SharedStoreFailure.timedOut
  private let count: Int
  private let first: Int
  private(set) var hasFailed = false
  private var hasLoggedInAgain = false
  /// Members that are of no use to this machine as things are.
  private var useless: Set<Int> = []

  init(_ count: Int, startingAt first: Int) {
    self.count = count
    self.first = first
    current = first
  }

  /// Notes a member's setback, and turns to the next.
  ///
  /// - Parameters:
  ///   - setback: The member's setback.
  ///   - wasCutShort: `true` if it had less time than a connection may take, since the call's time was nearly over;
  ///     that it has not answered then says nothing.
  ///   - logOut: Has the user authenticated again.
  /// - Returns: The pause before the next request: a while after each round, in which a leader may be elected.
  /// - Throws: The failure, if no member will do better.
  mutating func goOn(
    after setback: Setback,
    wasCutShort: Bool,
    _ logOut: () -> Void
  ) throws(SharedStoreFailure) -> Duration {
    if setback.mayBeDone { mayBeDone = true }
    let saysLittle = wasCutShort && setback.failure == .timedOut
    if !hasFailed || !saysLittle && setback.failure.weight >= failure.weight { failure = setback.failure }
    hasFailed = true
    switch setback.next {
    case .nothing: throw setback.failure
    case .login:
      guard !hasLoggedInAgain else { throw setback.failure }
      hasLoggedInAgain = true
      hasFailed = false
      logOut()
      return .zero
    case .anotherMember:
      useless.insert(current)
      guard useless.count < count else { throw failure }
    case .anyMember: useless.remove(current)
    }
    current = (current + 1) % count
    return current == first ? .milliseconds(100) : .zero
  }
}
