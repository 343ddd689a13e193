import Glibc
import PrivateFiles

/// The machine that a renewal runs on, and its processes, as far as the protocol of a renewal needs them.
package struct Machine: Sendable {
  /// This process, with the home that its copies are in; no other one, on any machine, has the same name.
  package var thisProcess: @Sendable (_ home: String) -> LockOwner
  /// Returns `true` if the owner of a lock still runs; asked only of owners of this boot and this pid namespace.
  package var runs: @Sendable (LockOwner) -> Bool
  /// Milliseconds since the boot, which run on while the machine sleeps.
  package var bootTime: @Sendable () -> Int64
  /// Waits so many milliseconds; returns `false` at once when the task is cancelled.
  package var pause: @Sendable (_ milliseconds: Int64) async -> Bool
  /// Seconds since 1970, for what a person reads; no decision about a lock compares two machines' clocks.
  package var now: @Sendable () -> Int64
  /// The host's name, as other machines are shown it.
  package var hostName: @Sendable () -> String

  package init(
    thisProcess: @escaping @Sendable (_ home: String) -> LockOwner,
    runs: @escaping @Sendable (LockOwner) -> Bool,
    bootTime: @escaping @Sendable () -> Int64,
    pause: @escaping @Sendable (_ milliseconds: Int64) async -> Bool,
    now: @escaping @Sendable () -> Int64 = { Machine.wallTime() },
    hostName: @escaping @Sendable () -> String = { Machine.hostName() }
  ) {
    self.thisProcess = thisProcess
    self.runs = runs
    self.bootTime = bootTime
    self.pause = pause
    self.now = now
    self.hostName = hostName
  }
}

extension Machine {
  /// The machine as Linux describes it in /proc.
  package static let live = Machine(
    thisProcess: { home in
      var process = named
      process.home = home
      return process
    },
    runs: { owner in isRunning(owner) },
    bootTime: {
      var time = timespec()
      unsafe clock_gettime(CLOCK_BOOTTIME, &time)
      return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    },
    pause: { milliseconds in
      do { try await Task.sleep(for: .milliseconds(max(milliseconds, 0))) } catch { return false }
      return true
    }
  )

  /// Seconds since 1970.
  package static func wallTime() -> Int64 { Int64(time(nil)) }

  /// The host's name, without its domain.
  package static func hostName() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "unnamed" }
    let bytes = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    let name = String(decoding: bytes.prefix { $0 != UInt8(ascii: ".") }.prefix(Writer.nameLimit), as: UTF8.self)
    return name.isEmpty ? "unnamed" : name
  }

  /// The name of this process; if /proc does not tell it, one that no process has: others then wait for the lock's
  /// ttl.
  private static let named = LockOwner(
    bootID: contents("/proc/sys/kernel/random/boot_id").map(trimmed) ?? unknown(),
    pidNamespace: pidNamespace ?? Int64.random(in: .min..<0),
    pid: Int64(getpid()),
    startTime: process("self")?.startTime ?? Int64.random(in: .min..<0),
    home: ""
  )

  /// A name that nothing else has.
  static func unknown() -> String { "unknown-" + String(UInt64.random(in: .min ... .max), radix: 16) }

  private static func trimmed(_ text: String) -> String { String(text.prefix { !$0.isWhitespace }) }

  /// The inode of this process's pid namespace, from a link such as `pid:[4026531836]`.
  private static var pidNamespace: Int64? {
    var buffer = [CChar](repeating: 0, count: 64)
    let count = unsafe readlink("/proc/self/ns/pid", &buffer, buffer.count)
    guard count > 0 else { return nil }
    let bytes = buffer.prefix(count).map(UInt8.init(bitPattern:))
    let text = String(decoding: bytes, as: UTF8.self)
    return Int64(text.drop { $0 != "[" }.dropFirst().prefix { $0 != "]" })
  }

  private static func isRunning(_ owner: LockOwner) -> Bool {
    guard let pid = pid_t(exactly: owner.pid), pid > 0 else { return false }
    guard kill(pid, 0) == 0 || errno == EPERM else { return false }
    // Another user's process may be hidden in /proc; it is there all the same.
    guard let process = process(String(pid)) else { return true }
    return process.startTime == owner.startTime && !process.hasEnded
  }

  /// The start time and the state in `/proc/PID/stat`, proc_pid_stat(5).
  private static func process(_ pid: String) -> (startTime: Int64, hasEnded: Bool)? {
    guard let text = contents("/proc/\(pid)/stat"), let end = text.lastIndex(of: ")") else { return nil }
    // The command's name is in parentheses, and may have spaces and parentheses itself.
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 19, let startTime = Int64(fields[19]) else { return nil }
    return (startTime, ["Z", "X", "x"].contains(fields[0]))
  }

  private static func contents(_ path: String) -> String? {
    do {
      let file = try Descriptor.open(path, O_RDONLY)
      return try readAll(from: file.number, limit: 4096).map { String(decoding: $0, as: UTF8.self) }
    } catch {
      return nil
    }
  }
}
