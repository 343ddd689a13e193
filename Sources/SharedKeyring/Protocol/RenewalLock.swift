package import StrictJSON

/// The lock of a renewal, kept within the account's object on the engine.
///
/// It has no moment in it: the clocks of two machines are never compared. A machine that waits counts the time since
/// it first saw the lock, by its own clock.
package struct RenewalLock: Equatable, Sendable {
  package var owner: LockOwner
  /// Seconds that another machine waits for the object to change before it takes the lock over.
  package var ttl: Int64
  /// What a person may read about the renewal; no part of any decision.
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
