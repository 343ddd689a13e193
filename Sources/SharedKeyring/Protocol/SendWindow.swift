/// The time in which a claim's request may begin: it is over before any other machine takes the lock over.
///
/// Another machine counts the lock's ttl from the moment it sees the lock, which is after ``start``. A request
/// that begins in the window ends, by its own timeout, at least a second before that time has passed.
package struct SendWindow: Equatable, Sendable {
  /// The boot time in milliseconds, read **before** the swap that put the lock in was sent.
  package var start: Int64
  /// The lock's, in seconds.
  package var ttl: Int64
  /// Seconds that the request may take, from its connection to the end of its answer.
  package var timeout: Int64

  package init(start: Int64, ttl: Int64, timeout: Int64) {
    self.start = start
    self.ttl = ttl
    self.timeout = min(timeout, Self.longestTimeout)
  }

  /// A user may ask for any timeout; beyond 34 years it would overflow as milliseconds.
  private static let longestTimeout: Int64 = 1 << 30

  /// The ttl of a lock for a request, in seconds.
  package static func ttl(timeout: Int64) -> Int64 { min(timeout, longestTimeout) + 15 }

  /// Whether a request may begin at a boot time in milliseconds.
  package func isOpen(at now: Int64) -> Bool { now >= start && now < start + (ttl - timeout - 1) * 1000 }
}
