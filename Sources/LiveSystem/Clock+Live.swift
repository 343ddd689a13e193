import AcctModel
package import AcctPorts
import Glibc

extension Clock {
  /// The system's clock, in UTC; local time is that of `TZ`, or of /etc/localtime.
  package static func live() -> Clock {
    Clock(
      now: {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(clamped: Int64(time.tv_sec))
      },
      localOffset: { moment in
        var seconds = time_t(moment.secondsSince1970)
        var local = unsafe tm()
        guard unsafe localtime_r(&seconds, &local) != nil else { return 0 }
        return unsafe Int64(local.tm_gmtoff)
      },
      sleep: { seconds in
        // The library adds it to the time since boot, which must not overflow.
        do { try await Task.sleep(for: .seconds(min(max(seconds, 0), 1 << 32))) } catch { return false }
        return true
      },
      rest: {
        // A wait that is cancelled is over.
        do { try await Task.sleep(for: .seconds(1)) } catch {}
      }
    )
  }
}

extension Entropy {
  /// The kernel's generator, getrandom(2), by way of the standard library.
  package static func live() -> Entropy {
    Entropy { count in
      var generator = SystemRandomNumberGenerator()
      var bytes: [UInt8] = []
      bytes.reserveCapacity(count + 7)
      // Eight at a time: each draw is a system call.
      while bytes.count < count {
        let number: UInt64 = generator.next()
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
      }
      bytes.removeLast(bytes.count - count)
      return bytes
    }
  }
}
