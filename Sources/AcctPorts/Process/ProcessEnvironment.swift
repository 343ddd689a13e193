/// Where and when the command runs: environment, working directory, clock, randomness.
package struct ProcessEnvironment: Sendable {
  /// An environment variable; an empty one counts as not set.
  package var variable: @Sendable (_ name: String) -> String?
  /// The `.acct` files from the working directory upward, nearest first.
  package var directoryFiles: @Sendable () -> [DirectoryFile]
  /// The working directory; `nil` if it is gone.
  package var workingDirectory: @Sendable () -> String?

  package init(
    variable: @escaping @Sendable (_ name: String) -> String?,
    directoryFiles: @escaping @Sendable () -> [DirectoryFile],
    workingDirectory: @escaping @Sendable () -> String? = { nil }
  ) {
    self.variable = variable
    self.directoryFiles = directoryFiles
    self.workingDirectory = workingDirectory
  }
}

/// A `.acct` file, which names the account for a directory and all below it.
package enum DirectoryFile: Equatable, Sendable {
  /// The user's own, and no other user can write it.
  case trusted(path: String, line: String)
  /// Ignored, and why.
  case ignored(path: String, reason: String)
}
