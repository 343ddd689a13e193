/// The decision about an account's lock: to take it, or to wait.
///
/// The caller holds the account's lock on this machine.
package enum LockDecision: Equatable, Sendable {
  /// It is free, or its owner can no longer send.
  case take
  /// This process has left it behind, as after a swap whose answer was lost; it may be taken.
  case mine
  /// Another process may be about to send. If the version is still the same after so many milliseconds, it may be
  /// taken; the caller reads the object again at least then.
  case wait(milliseconds: Int64)

  /// Decides about an object as it was read.
  ///
  /// - Parameters:
  ///   - lock: The lock in it.
  ///   - version: The object's version.
  ///   - me: This process, which has no claim on the account.
  ///   - ownerRuns: Returns `true` if the owner still runs; asked only where it is visible to this process.
  ///   - sighting: The result of ``Sighting/of(version:bootID:now:after:)`` for this version.
  ///   - now: The boot time in milliseconds.
  package init(
    lock: RenewalLock?,
    version: Int64,
    me: LockOwner,
    ownerRuns: (LockOwner) -> Bool,
    sighting: Sighting?,
    now: Int64
  ) {
    guard let lock else {
      self = .take
      return
    }
    if lock.owner == me {
      self = .mine
      return
    }
    if lock.owner.isVisible(to: me), !ownerRuns(lock.owner) {
      self = .take
      return
    }
    let wait = lock.ttl * 1000
    guard let sighting, sighting.version == version, sighting.bootID == me.bootID, sighting.firstSeen <= now else {
      self = .wait(milliseconds: wait)
      return
    }
    let left = sighting.firstSeen + wait - now
    self = left > 0 ? .wait(milliseconds: left) : .take
  }

  /// `true` if the lock may be taken at once.
  package var isFree: Bool {
    switch self {
    case .take, .mine: true
    case .wait: false
    }
  }
}
