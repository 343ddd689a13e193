import AcctModel
import AcctProtocol

/// The limit of a token endpoint, which every command obeys until it is over.
extension Renewal {
  /// Rejects a renewal before the time that the server named in its last 429.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - now: The time. A limit that was noted later than that is from a clock that was ahead.
  /// - Throws: ``ServerError/rateLimited(retryAfter:_:)``.
  func requireNoLimit(of account: Account, at now: Timestamp) throws(EngineError) {
    for limit in LimitsLedger(context.world).limits(of: account.id)
    where limit.extent == .renewals && limit.observedAt <= now {
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
  func noteLimit(_ fields: [(name: String, value: String)], of origin: Origin, for id: AccountID) async {
    let ledger = LimitsLedger(context.world)
    guard var limit = ledger.read(fields, of: origin).exhausted, limit.usableAgainAt != nil else { return }
    limit.extent = .renewals
    limit.name = RateLimit.Extent.renewals.rawValue
    await ledger.learn([limit], of: origin, for: id)
  }
}
