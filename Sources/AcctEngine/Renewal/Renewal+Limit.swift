import AcctModel
import AcctPorts
import AcctProtocol

/// The limit of a token endpoint, which every command obeys until it has passed.
extension Renewal {
  /// Seconds after which a server that named a later time is asked all the same: such a time is a mistake.
  private static let longest: Int64 = 86_400

  /// Rejects a renewal before the time that the server named in its last 429.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - now: The time. A limit that was noted later than that is from a clock that was ahead.
  /// - Throws: ``ServerError/rateLimited(retryAfter:_:)``.
  func requireNoLimit(of account: Account, at now: Timestamp) throws(EngineError) {
    for limit in LimitsLedger(context.world).limits(of: account.id)
    where limit.extent == .renewals && (0..<Self.longest).contains(now.seconds(since: limit.observedAt)) {
      let seconds = limit.usableAgainAt?.seconds(since: now) ?? 0
      guard seconds > 0 else { continue }
      let wait: RetryAfter = limit.retryAfterSeconds == nil ? .reset(seconds) : .seconds(seconds)
      throw .server(.rateLimited(retryAfter: wait, limit.origin))
    }
  }

  /// Notes when a token endpoint that answered with 429 accepts the next renewal, if it says so.
  ///
  /// - Parameters:
  ///   - fields: The fields of the response; none if it was another one.
  ///   - origin: The endpoint's.
  ///   - id: The account.
  /// - Returns: When that is; `nil` if it does not say so.
  func noteLimit(
    _ fields: [(name: String, value: String)],
    of origin: Origin,
    for id: AccountID
  ) async -> RetryAfter? {
    guard !fields.isEmpty else { return nil }
    let now = context.world.clock.now()
    let serverTime = fields.only("Date").flatMap { HTTPDate.parse($0) } ?? now
    guard let wait = LimitVerdict(status: 429, fields, of: origin, at: serverTime).retryAfter else { return nil }
    let seconds = wait.seconds(from: serverTime)
    let isReset = wait == .reset(seconds)
    let limit = RateLimit(
      origin: origin,
      extent: .renewals,
      name: RateLimit.Extent.renewals.rawValue,
      resetsAt: isReset ? now.adding(seconds: seconds) : nil,
      retryAfterSeconds: isReset ? nil : seconds,
      observedAt: now
    )
    await LimitsLedger(context.world).learn([limit], of: origin, for: id)
    return wait
  }
}
