package import Secrets

/// The environment variables and the working directory of the command, its user, and its machine.
package struct ProcessEnvironment: Sendable {
  /// An environment variable; an empty one counts as not set.
  package var variable: @Sendable (_ name: String) -> String?
  /// The `.acct` files from the working directory upward, nearest first.
  package var directoryFiles: @Sendable () -> [DirectoryFile]
  /// The working directory; `nil` if it is gone.
  package var workingDirectory: @Sendable () -> String?
  /// The name of this machine; `nil` if it has none.
  package var hostName: @Sendable () -> String?
  /// The user that the command runs as.
  package var user: @Sendable () -> User
  /// The name of the program that started this process, without its path and arguments; `nil` if it is not known.
  package var parent: @Sendable () -> String?
  /// The system of this machine; to ask loads libraries.
  package var machine: @Sendable () -> Machine

  /// A user of the system.
  package struct User: Equatable, Sendable {
    package var id: UInt32
    /// The login name; `nil` for one that the system does not know.
    package var name: String?

    package init(id: UInt32, name: String?) {
      self.id = id
      self.name = name
    }
  }

  package init(
    variable: @escaping @Sendable (_ name: String) -> String?,
    directoryFiles: @escaping @Sendable () -> [DirectoryFile],
    workingDirectory: @escaping @Sendable () -> String? = { nil },
    hostName: @escaping @Sendable () -> String? = { nil },
    user: @escaping @Sendable () -> User = { User(id: 0, name: nil) },
    parent: @escaping @Sendable () -> String? = { nil },
    machine: @escaping @Sendable () -> Machine = { Machine() }
  ) {
    self.variable = variable
    self.directoryFiles = directoryFiles
    self.workingDirectory = workingDirectory
    self.hostName = hostName
    self.user = user
    self.parent = parent
    self.machine = machine
  }
}

/// A `.acct` file, which names the accounts for a directory and all below it.
package enum DirectoryFile: Equatable, Sendable {
  /// The user's own, and no other user can write it; its lines, of which there is at least one.
  case trusted(path: String, names: [String])
  /// Ignored, and why: another user can write it.
  case ignored(path: String, reason: String)
  /// It can't be read as the name of an account, and why.
  case unusable(path: String, reason: String)
}

/// Another program in the place of this process.
package struct Exec: Sendable {
  /// Notes the open files that the caller has passed on, before a command opens any of its own.
  package var prepare: @Sendable () -> PreparedExec

  package init(prepare: @escaping @Sendable () -> PreparedExec) { self.prepare = prepare }
}

/// The operation that replaces this process by another program, in the environment that the caller has set up.
package struct PreparedExec: Sendable {
  /// Checks that the program exists and may be run, before any work is done for it.
  package let find: @Sendable (_ program: String) throws(ExecFailure) -> Void
  /// Replaces this process by the program, and returns only in tests.
  ///
  /// The program keeps the process's id, terminal, streams, environment and the files that the caller has opened, and
  /// gets these variables, no two of one name. It is found on `PATH` as a shell does; a name with a slash is a path.
  package let become:
    @Sendable (_ command: [String], _ variables: [(name: String, value: Secret)])
      throws(ExecFailure) -> Void
  /// The program beside this process instead.
  package let attended: AttendedExec

  package init(
    find: @escaping @Sendable (_ program: String) throws(ExecFailure) -> Void,
    attended: AttendedExec,
    become:
      @escaping @Sendable (_ command: [String], _ variables: [(name: String, value: Secret)])
      throws(ExecFailure) -> Void
  ) {
    self.find = find
    self.attended = attended
    self.become = become
  }
}

/// A program that this process waits for, and a folder for files that it reads.
package struct AttendedExec: Sendable {
  /// Makes a folder for the user alone, in memory.
  ///
  /// Every signal that ends this process, and can be caught, deletes it first; what SIGKILL leaves is deleted by a later
  /// process.
  package var makeFolder: @Sendable () throws(MemoryFolderFailure) -> HeldFolder
  /// Starts the program, and returns the wait for its end, which gives its exit status: 128 and the signal's number if a
  /// signal ended it.
  ///
  /// It has the process's group, terminal, streams, environment with these variables, and the files that the caller has
  /// opened. Every signal that would end this process is passed on to it.
  package var start:
    @Sendable (_ command: [String], _ variables: [(name: String, value: String)])
      throws(ExecFailure) -> @Sendable () async -> Int32

  package init(
    makeFolder: @escaping @Sendable () throws(MemoryFolderFailure) -> HeldFolder,
    start:
      @escaping @Sendable (_ command: [String], _ variables: [(name: String, value: String)])
      throws(ExecFailure) -> @Sendable () async -> Int32
  ) {
    self.makeFolder = makeFolder
    self.start = start
  }
}

/// A folder in memory that exists until it is removed.
package struct HeldFolder: Sendable {
  package let path: String
  /// Removes it with all that is in it.
  package let remove: @Sendable () -> Void

  package init(path: String, remove: @escaping @Sendable () -> Void) {
    self.path = path
    self.remove = remove
  }
}

/// Why there is no place in memory for files with secrets.
package struct MemoryFolderFailure: Error, Equatable, Sendable {
  /// The place that would be used.
  package var path: String
  /// In words that follow the path and a colon.
  package var reason: String

  package init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }
}

/// Why a program could not be run.
package enum ExecFailure: Error, Equatable, Sendable {
  /// There is none of that name.
  case notFound(program: String)
  /// It exists; the system's reason why it does not run.
  case notExecutable(program: String, reason: String)
}

/// SIGINT, SIGTERM and SIGHUP: Ctrl-C, a request to end, a closed terminal.
package struct Signals: Sendable {
  /// Holds them back until the returned value is released; then one that arrived takes effect.
  package var holdBack: @Sendable () -> HeldSignals
  /// Calls `action` once when one of them arrives, until the returned value is released.
  package var watch: @Sendable (_ action: @escaping @Sendable () -> Void) -> HeldSignals

  package init(
    holdBack: @escaping @Sendable () -> HeldSignals,
    watch: @escaping @Sendable (_ action: @escaping @Sendable () -> Void) -> HeldSignals
  ) {
    self.holdBack = holdBack
    self.watch = watch
  }
}

/// Signals whose default effect is suspended.
package struct HeldSignals: Sendable {
  package let release: @Sendable () -> Void

  package init(release: @escaping @Sendable () -> Void) { self.release = release }
}
