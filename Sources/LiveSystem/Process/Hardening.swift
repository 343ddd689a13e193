import CLinux
import Glibc

/// Protects a process that holds secrets from leaking them by accident.
package struct Hardening: Sendable {
  let mask: mode_t
  let coreLimit: rlim_t
  /// The signals that acct ignores, and that the next program does not.
  private let ignored: [Int32]
  let blockedSignals: sigset_t

  /// Takes the settings that another program is to inherit: its umask, and the soft limit of core dumps in bytes.
  ///
  /// No signal is blocked then, and none ignored.
  package init(mask: UInt32, coreLimit: UInt) {
    self.init(mask, coreLimit, ignoring: Self.errors, blocking: sigset_t())
  }

  private init(_ mask: mode_t, _ coreLimit: rlim_t, ignoring ignored: [Int32], blocking blockedSignals: sigset_t) {
    self.mask = mask
    self.coreLimit = coreLimit
    self.ignored = ignored
    self.blockedSignals = blockedSignals
  }

  /// Closes core dumps, debuggers of the same user and reports of crashes; to be called first of all.
  ///
  /// It also lets a broken pipe and a file that grows too large be an error instead of the end, keeps new files to their owner, and
  /// occupies the standard streams that the caller has closed.
  ///
  /// - Returns: The settings before, for a command that is run on the user's behalf.
  @discardableResult
  package static func closeProcess() -> Hardening {
    _ = acct_set_dumpable(0)
    var limit = rlimit()
    unsafe getrlimit(coreResource, &limit)
    let before = limit.rlim_cur
    // The soft limit: the hard one could not be given back, and nothing here raises either.
    limit.rlim_cur = 0
    unsafe setrlimit(coreResource, &limit)
    // Swift's own crash reporter, where it is installed, would print memory to standard error.
    for crash in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { acct_stop_handling(crash) }
    let ignored = errors.filter { acct_ignore($0) == 0 }
    // Of this thread, which is the first and only one: those to come have their own.
    var blocked = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &blocked)
    // One system call where all three are open.
    var streams = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].map { pollfd(fd: $0, events: 0, revents: 0) }
    if unsafe poll(&streams, 3, 0) != 0 {
      occupy(STDIN_FILENO, O_WRONLY)
      occupy(STDOUT_FILENO, O_RDONLY)
      occupy(STDERR_FILENO, O_RDONLY)
    }
    return Hardening(umask(0o077), before, ignoring: ignored, blocking: blocked)
  }

  /// Puts `/dev/null` at a descriptor that is closed.
  ///
  /// The next file, lock or socket would take its number otherwise, and receive output that is meant for the user: a
  /// token, say, on the way to the keyring's bus.
  ///
  /// - Parameters:
  ///   - descriptor: The number to occupy.
  ///   - mode: The direction that is not used, so that reading or writing is still an error.
  package static func occupy(_ descriptor: Int32, _ mode: Int32) {
    guard fcntl(descriptor, F_GETFD) < 0 else { return }
    let null = unsafe open("/dev/null", mode)
    guard null >= 0, null != descriptor else { return }
    dup2(null, descriptor)
    close(null)
  }

  /// Restores the settings that the next program would inherit, lets `body` become it, and closes again if that
  /// failed.
  ///
  /// The signals that are to be blocked are left to `body`, since they are the calling thread's.
  ///
  /// - Parameter body: Becomes the program, or returns why it could not.
  /// - Returns: What `body` returns.
  package func openedForExec(_ body: () -> Int32) -> Int32 {
    setCoreLimit(coreLimit)
    for number in ignored { signal(number, SIG_DFL) }
    umask(mask)
    defer {
      setCoreLimit(0)
      for number in ignored { signal(number, SIG_IGN) }
      umask(0o077)
    }
    return body()
  }

  /// The signals for what is an error of a system call, too: EPIPE, and EFBIG beyond `ulimit -f`.
  private static var errors: [Int32] { [SIGPIPE, SIGXFSZ] }

  private func setCoreLimit(_ bytes: rlim_t) {
    var limit = rlimit()
    unsafe getrlimit(Self.coreResource, &limit)
    limit.rlim_cur = bytes
    unsafe setrlimit(Self.coreResource, &limit)
  }

  private static let coreResource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
}
