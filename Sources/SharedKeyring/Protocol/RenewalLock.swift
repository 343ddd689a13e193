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
