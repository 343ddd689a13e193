import Glibc

/// When something must be done, in the time that passes while the machine runs.
package struct Deadline: Sendable {
  /// In milliseconds since the machine started.
  private let end: Int

  package init(after patience: Duration) {
    let (seconds, attoseconds) = patience.components
    end = Self.now + Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }

  /// Milliseconds until then; 0 if it has passed.
  var left: Int32 { Int32(clamping: max(0, end - Self.now)) }

  /// The rest of the time as a duration.
  package var patience: Duration { .milliseconds(Int(left)) }

  /// Waits for so many milliseconds, but not beyond it.
  func pause(_ milliseconds: Int32) { _ = poll(nil, 0, min(milliseconds, left)) }

  private static var now: Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
