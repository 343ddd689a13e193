import Glibc

/// A program that a test runs, and its whole surroundings.
///
/// Nothing is inherited but the user: no environment, no open file, no blocked signal. Output goes
/// to unnamed files rather than pipes, so a child that writes much cannot block, and one that
/// leaves a daemon behind cannot keep the test waiting for the end of a pipe.
package struct ChildProcess: Sendable {
  /// A path, or a name to be found on the test's own `PATH`.
  package var program: String
  /// What follows the program's name.
  package var arguments: [String]
  /// The whole environment.
  package var environment: [String: String]
  /// Where it starts; the test's own working directory if `nil`.
  package var workingDirectory: String?
  /// What it reads from standard input.
  package var input: [UInt8]

  package init(
    _ program: String,
    _ arguments: [String] = [],
    environment: [String: String] = ChildProcess.plainEnvironment,
    workingDirectory: String? = nil,
    input: String = ""
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.workingDirectory = workingDirectory
    self.input = Array(input.utf8)
  }

  /// As much of an environment as ordinary programs need, and nothing of the machine's user.
  package static let plainEnvironment = [
    "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent",
    // Without one, acct looks for the bus of the machine's user.
    "DBUS_SESSION_BUS_ADDRESS": "disabled:",
  ]

  /// What a child left when it ended.
  package struct Output: Sendable {
    /// The exit status, or 128 + the number of the signal that ended it, as in a shell.
    package let status: Int32
    package let standardOutput: [UInt8]
    package let standardError: [UInt8]

    /// Standard output as text.
    package var text: String { String(decoding: standardOutput, as: UTF8.self) }
    /// Standard error as text.
    package var errorText: String { String(decoding: standardError, as: UTF8.self) }
  }

  /// Runs the program to its end.
  ///
  /// - Parameter limit: How long it may take; a child that takes longer is killed, and then its
  ///   status is 137. Far above what any test needs: it only keeps a hung child from hanging CI.
  /// - Returns: Its status and what it printed.
  /// - Throws: ``ProcessFailure`` if it could not be started.
  package func run(limit: Duration = .seconds(60)) async throws(ProcessFailure) -> Output {
    try await RunningProcess(self).output(within: limit)
  }
}

/// Why a test could not get the process that it needs.
package enum ProcessFailure: Error, CustomStringConvertible {
  /// A system call failed.
  case system(call: String, code: Int32)
  /// The process ended, or was not ready in time; with what it had printed.
  case notReady(program: String, output: String)

  package var description: String {
    switch self {
    case .system(let call, let code): "\(call): \(unsafe String(cString: strerror(code)))"
    case .notReady(let program, let output): "\(program) is not ready; it printed: \(output)"
    }
  }
}
