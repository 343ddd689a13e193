import AcctModel
package import AcctPorts
import Glibc

extension Clock {
  /// The system's clock, in UTC.
  package static func live() -> Clock {
    Clock(
      now: {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(clamped: Int64(time.tv_sec))
      },
      sleep: { seconds in
        // The library adds it to the time since boot, which must not overflow.
        do { try await Task.sleep(for: .seconds(min(max(seconds, 0), 1 << 32))) } catch {
          return false
        }
        return true
      }
    )
  }
}

extension Entropy {
  /// The kernel's generator, getrandom(2), by way of the standard library.
  package static func live() -> Entropy {
    Entropy { count in
      var generator = SystemRandomNumberGenerator()
      return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
  }
}
