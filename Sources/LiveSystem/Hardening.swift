import CLinux
import Glibc

/// What keeps a process that holds secrets from leaking them by accident.
package struct Hardening: Sendable {
  let mask: mode_t
  let coreLimit: rlim_t

  /// What another program is to inherit: its umask, and the soft limit of core dumps in bytes.
  package init(mask: UInt32, coreLimit: UInt) {
    self.mask = mask
    self.coreLimit = coreLimit
  }

  /// Closes core dumps and debuggers of the same user; to be called first of all.
  ///
  /// It also lets a broken pipe be an error instead of the end, and keeps new files to their owner.
  ///
  /// - Returns: What was in force before, for a command that is run on the user's behalf.
  @discardableResult
  package static func closeProcess() -> Hardening {
    _ = acct_set_dumpable(0)
    var limit = rlimit()
    unsafe getrlimit(coreResource, &limit)
    let before = limit.rlim_cur
    // The soft limit: the hard one could not be given back, and nothing here raises either.
    limit.rlim_cur = 0
    unsafe setrlimit(coreResource, &limit)
    signal(SIGPIPE, SIG_IGN)
    return Hardening(mask: umask(0o077), coreLimit: before)
  }

  /// Gives back what the next program would inherit, right before it takes this one's place.
  package func reopenForExec() {
    var limit = rlimit()
    unsafe getrlimit(Self.coreResource, &limit)
    limit.rlim_cur = coreLimit
    unsafe setrlimit(Self.coreResource, &limit)
    signal(SIGPIPE, SIG_DFL)
    umask(mask)
  }

  private static let coreResource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
}
