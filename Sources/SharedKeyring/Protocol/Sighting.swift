import StrictJSON

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
