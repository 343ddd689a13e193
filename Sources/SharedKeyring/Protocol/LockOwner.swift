package import StrictJSON

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
