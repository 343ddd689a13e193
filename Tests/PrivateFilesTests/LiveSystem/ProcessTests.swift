import AcctModel
import AcctPorts
import CLinux
import Glibc
import LiveSystem
import Testing

@Suite("The live process")
struct ProcessTests {
  @Test("The clock shows a time of this age, and random bytes differ")
  func clockAndEntropy() throws {
    let released = try Timestamp("2025-01-01T00:00:00Z")
    #expect(Clock.live().now() > released)
    let entropy = Entropy.live()
    #expect(entropy.bytes(0) == [])
    #expect(entropy.bytes(32).count == 32)
    #expect(entropy.bytes(32) != entropy.bytes(32))
  }

  @Test("The process closes to dumps, debuggers and other users, and opens for another program")
  func hardening() {
    umask(0o022)
    let before = coreLimit
    let hardening = Hardening.closeProcess()
    #expect(acct_is_dumpable() == 0)
    #expect(coreLimit == 0)
    #expect(umask(0o077) == 0o077)
    let result = hardening.openedForExec {
      #expect(coreLimit == before)
      #expect(umask(0o022) == 0o022)
      return ENOENT
    }
    // No program was run, so everything is closed again.
    #expect(result == ENOENT)
    #expect(coreLimit == 0)
    #expect(umask(0o022) == 0o077)
    var limit = rlimit(rlim_cur: before, rlim_max: before)
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    limit.rlim_cur = before
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    #expect(acct_set_dumpable(1) == 0)
  }

  @Test("A sleep lasts as long as requested unless it is cancelled")
  func sleep() async {
    let clock = Clock.live()
    #expect(await clock.sleep(0))
    #expect(await clock.sleep(-1))
    let sleeping = Task { await clock.sleep(.max) }
    sleeping.cancel()
    #expect(await sleeping.value == false)
  }

  @Test("A closed standard descriptor is occupied, so that no other file gets its number")
  func closedStream() {
    // High enough that no test beside this one is given it by the kernel.
    let descriptor: Int32 = 900
    Hardening.occupy(descriptor, O_RDONLY)
    defer { close(descriptor) }
    #expect(fcntl(descriptor, F_GETFD) >= 0)
    let written = unsafe write(descriptor, "secret", 6)
    #expect(written == -1 && errno == EBADF)
    // One that is open stays what it is.
    Hardening.occupy(descriptor, O_WRONLY)
    #expect(unsafe write(descriptor, "secret", 6) == -1)
  }

  private var coreLimit: rlim_t {
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    return limit.rlim_cur
  }
}
