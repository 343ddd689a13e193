package import StrictJSON

/// The lock of a renewal, kept within the account's object on the engine.
///
/// It has no moment in it: the clocks of two machines are never compared. A machine that waits counts the time since
/// it first saw the lock, by its own clock.
package struct RenewalLock: Equatable, Sendable {
  package var owner: LockOwner
  /// Seconds that another machine waits for the object to change before it takes the lock over.
  package var ttl: Int64
  /// The text for a person about the renewal; no part of any decision.
  package var note: String?

  package init(owner: LockOwner, ttl: Int64, note: String? = nil) {
    self.owner = owner
    self.ttl = ttl
    self.note = note
  }

  /// The longest time that a lock can ask for, in seconds: that of a request that may take decades.
  package static let longestTTL = SendWindow.ttl(timeout: .max)
}

extension RenewalLock {
  /// The lock as it stands in the object.
  package var json: JSON {
    var members: JSONObject = ["owner": owner.json, "ttl": JSON(ttl)]
    if let note { members["note"] = .string(note) }
    return .object(members)
  }

  /// Reads a lock; `nil` for anything else.
  package init?(_ json: JSON?) {
    guard let members = json?.objectValue, let owner = LockOwner(members["owner"]),
      let ttl = members["ttl"]?.numberValue?.integer, (0...Self.longestTTL).contains(ttl)
    else { return nil }
    let note = members["note"]
    guard note == nil || note?.stringValue != nil else { return nil }
    self.init(owner: owner, ttl: ttl, note: note?.stringValue)
  }
}

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

  /// `true` if a request may begin at a boot time in milliseconds.
  package func isOpen(at now: Int64) -> Bool { now >= start && now < start + (ttl - timeout - 1) * 1000 }
}

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

/// The process that holds the lock of a renewal, named so that no other process ever has the same name.
package struct LockOwner: Hashable, Sendable {
  /// The machine's boot, from `/proc/sys/kernel/random/boot_id`: random, new with each start.
  package var bootID: String
  /// The inode of `/proc/self/ns/pid`: a process identifier means nothing outside of its namespace.
  package var pidNamespace: Int64
  package var pid: Int64
  /// The process's start in clock ticks since the boot, from `/proc/PID/stat`: identifiers are used again.
  package var startTime: Int64
  /// The folder that would have the pending answer of this process: its device and inode, as `DEVICE-INODE`.
  package var home: String

  package init(bootID: String, pidNamespace: Int64, pid: Int64, startTime: Int64, home: String) {
    self.bootID = bootID
    self.pidNamespace = pidNamespace
    self.pid = pid
    self.startTime = startTime
    self.home = home
  }

  /// `true` if the other can tell whether this process still runs, and whether it has left a pending answer.
  ///
  /// A process of the same machine with another state folder, such as another user's, is as far away as one of another
  /// machine: that it is dead does not mean that its answer is lost.
  package func isVisible(to other: LockOwner) -> Bool {
    bootID == other.bootID && pidNamespace == other.pidNamespace && home == other.home
  }
}

extension LockOwner {
  /// The owner as it stands in the lock.
  package var json: JSON {
    [
      "boot": .string(bootID),
      "namespace": JSON(pidNamespace),
      "pid": JSON(pid),
      "start": JSON(startTime),
      "home": .string(home),
    ]
  }

  /// Reads an owner; `nil` for anything else.
  package init?(_ json: JSON?) {
    guard let members = json?.objectValue, let bootID = members["boot"]?.stringValue,
      let pidNamespace = members["namespace"]?.numberValue?.integer, let pid = members["pid"]?.numberValue?.integer,
      let startTime = members["start"]?.numberValue?.integer, let home = members["home"]?.stringValue
    else { return nil }
    self.init(bootID: bootID, pidNamespace: pidNamespace, pid: pid, startTime: startTime, home: home)
  }
}

/// When this machine first saw a version of an account's object that has another machine's lock in it.
///
/// It is kept in the state folder: a later process of this machine continues counting.
package struct Sighting: Equatable, Sendable {
  package var version: Int64
  /// The boot of this machine whose clock has counted.
  package var bootID: String
  /// Milliseconds of CLOCK_BOOTTIME, which runs on while the machine sleeps.
  package var firstSeen: Int64

  package init(version: Int64, bootID: String, firstSeen: Int64) {
    self.version = version
    self.bootID = bootID
    self.firstSeen = firstSeen
  }

  /// Returns the sighting to keep after an object was read: the earlier one while it is of the same version and boot.
  ///
  /// `now` is the boot time in milliseconds, read **after** the engine has answered. A time from before the question
  /// could be earlier than the lock itself, by as long as the engine took to answer, and the lock would be taken over
  /// that much too soon.
  package static func of(version: Int64, bootID: String, now: Int64, after earlier: Sighting?) -> Sighting {
    if let earlier, earlier.version == version, earlier.bootID == bootID, earlier.firstSeen <= now { return earlier }
    return Sighting(version: version, bootID: bootID, firstSeen: now)
  }
}

extension Sighting {
  /// In bytes; more than a sighting has.
  package static let sizeLimit = 512

  /// The file's contents.
  package func serialized() -> [UInt8] {
    JSON.serialized([
      "format": "acct-sighting",
      "version": JSON(version),
      "boot": .string(bootID),
      "firstSeen": JSON(firstSeen),
    ]) + [UInt8(ascii: "\n")]
  }

  /// Reads the file's contents; `nil` for anything else, and counting starts anew.
  package init?(parsing contents: [UInt8]) {
    guard let json = try? JSON(parsing: contents, maximumBytes: Self.sizeLimit), let members = json.objectValue,
      members["format"]?.stringValue == "acct-sighting", let version = members["version"]?.numberValue?.integer,
      let bootID = members["boot"]?.stringValue, let firstSeen = members["firstSeen"]?.numberValue?.integer,
      firstSeen >= 0
    else { return nil }
    self.init(version: version, bootID: bootID, firstSeen: firstSeen)
  }
}

/// The highest generation of an account's object that this machine has seen.
///
/// An engine's versions and revisions are its operator's to choose; a generation is sealed in the object.
package struct SeenGeneration: Equatable, Sendable {
  /// 0 if it has seen none, or one of a version of acct without generations.
  package var number: Int64
  /// `true` if that one was the trace of a removal.
  package var isRemoval: Bool

  package init(_ number: Int64 = 0, isRemoval: Bool = false) {
    self.number = number
    self.isRemoval = isRemoval
  }

  /// `true` if an engine that answers with such an object has gone back to an earlier state.
  ///
  /// - Parameters:
  ///   - found: The object's generation; `nil` if there is no object, not even the trace of a removal.
  ///   - isSame: `true` if the object has the very bytes that were seen, or is a trace as the one that was.
  /// - Returns: `true` for a rollback.
  package func isContradicted(by found: Int64?, isSame: Bool) -> Bool {
    guard number > 0 else { return false }
    // The trace of a removal has nothing to lose.
    guard let found else { return !isRemoval }
    return found < number || (found == number && !isSame)
  }
}

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
