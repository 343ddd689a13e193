/// A write of an account's object that the engine refused, or did not answer: the next step, once the object was read
/// again.
///
/// The credential that counts is the one that a renewal spends: the refresh token, or the sealed session.
package struct UnconfirmedWrite<Credential: Equatable & Sendable>: Sendable {
  /// The process that wanted to write; the one that did so, where another stores its pending answer.
  package var owner: LockOwner
  /// The state that the write was made from.
  package var basis: Basis
  /// The credential that the object would have had; `nil` for an account without one.
  package var wanted: Credential?

  package init(owner: LockOwner, basis: Basis, wanted: Credential?) {
    self.owner = owner
    self.basis = basis
    self.wanted = wanted
  }

  /// The state that a write was made from.
  package indirect enum Basis: Sendable {
    /// The account was to be made.
    case nothing
    /// A copy, without a claim: a new name, a new sign-in.
    case copy
    /// A copy with this credential, which may be spent: a renewal's answer, its failure, or a sign-in that is pending.
    case spent(Credential?)
  }

  /// The object as it is now.
  package struct Found: Sendable {
    package var credential: Credential?
    package var lockOwner: LockOwner?
    /// `true` if it has each item and the record of the write.
    package var hasAll: Bool

    package init(credential: Credential?, lockOwner: LockOwner?, hasAll: Bool) {
      self.credential = credential
      self.lockOwner = lockOwner
      self.hasAll = hasAll
    }
  }
}

/// The next step after a write that was refused or not answered.
package enum NextWrite: Equatable, Sendable {
  /// The object has it.
  case done
  /// Swap again, guarded by the version that was found: these items over the found ones, the record merged by
  /// ``RecordMerge``, the lock as found unless it is the writer's own, which is taken out.
  case again
  /// The object has newer credentials, or another process is about to get them: they stay.
  case superseded
  /// Another machine has removed the account.
  case removed
}

extension UnconfirmedWrite {
  /// Decides about the object as it was read after the write.
  ///
  /// An answer with a new credential is never dropped while the object has the one that was spent for it, even if
  /// another process has the lock by then. A write without a new one gives way to the process that has it: without that
  /// lock, a third would send the same credential.
  package func next(found: Found?) -> NextWrite {
    guard let found else {
      if case .nothing = basis { return .again }
      return .removed
    }
    if found.hasAll, found.lockOwner != owner { return .done }
    switch basis {
    case .nothing: return .done
    case .copy: return .again
    case .spent(let spent):
      if found.credential == spent {
        let bringsNewer = wanted != spent
        let isOthers = found.lockOwner != nil && found.lockOwner != owner
        return bringsNewer || !isOthers ? .again : .superseded
      }
      // Another process has built on this write, whose answer was lost.
      return found.credential == wanted ? .done : .superseded
    }
  }

  /// The lock that a merged object has: another process's stays.
  package func lock(afterMerging found: RenewalLock?) -> RenewalLock? { found?.owner == owner ? nil : found }
}
