package import AcctModel

/// The time of day.
package struct Clock: Sendable {
  package var now: @Sendable () -> Timestamp
  /// Returns the offset of the user's local time from UTC at a moment, in seconds; negative to the west.
  package var localOffset: @Sendable (Timestamp) -> Int64
  /// Waits that many seconds; returns `false` at once when the task is cancelled.
  package var sleep: @Sendable (_ seconds: Int64) async -> Bool
  /// Waits a second in the background, independent of the time of day; returns at once when the task is cancelled.
  package var rest: @Sendable () async -> Void

  package init(
    now: @escaping @Sendable () -> Timestamp,
    localOffset: @escaping @Sendable (Timestamp) -> Int64 = { _ in 0 },
    sleep: @escaping @Sendable (_ seconds: Int64) async -> Bool,
    rest: @escaping @Sendable () async -> Void = {}
  ) {
    self.now = now
    self.localOffset = localOffset
    self.sleep = sleep
    self.rest = rest
  }
}

/// Unpredictable bytes.
package struct Entropy: Sendable {
  /// Returns `count` bytes from the system's cryptographic generator.
  package var bytes: @Sendable (_ count: Int) -> [UInt8]

  package init(bytes: @escaping @Sendable (_ count: Int) -> [UInt8]) { self.bytes = bytes }

  /// A new account identifier.
  package func accountID() -> AccountID {
    let random = bytes(16)
    return AccountID(random: InlineArray { random[$0] })
  }
}
