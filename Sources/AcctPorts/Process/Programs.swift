package import Secrets

/// Other programs, each run to its end.
package struct Programs: Sendable {
  /// Runs a program without a shell, found on `PATH`; a name with a slash is a path.
  ///
  /// It gets the user's environment and working directory, but neither the vault's passphrase nor, unless the call says
  /// so, the terminal: it cannot ask anything. It is killed, with what it has started, when its time is up or the
  /// caller's task is cancelled.
  package var run: @Sendable (ProgramCall) async throws(ProgramFailure) -> ProgramResult
  /// Returns `true` if a program of this name can be run.
  package var exists: @Sendable (_ program: String) -> Bool

  package init(
    run: @escaping @Sendable (ProgramCall) async throws(ProgramFailure) -> ProgramResult,
    exists: @escaping @Sendable (_ program: String) -> Bool
  ) {
    self.run = run
    self.exists = exists
  }

  /// A machine without any.
  package static let none = Programs(
    run: { call throws(ProgramFailure) in throw .unusable(.notFound(program: call.program)) },
    exists: { _ in false }
  )
}

/// One run of a program.
package struct ProgramCall: Equatable, Sendable {
  package var program: String
  /// The arguments after the program's name; other users can read them, so they contain no secret.
  package var arguments: [String]
  package var input: Input
  /// The most bytes of its standard output.
  package var outputLimit: Int
  package var timeLimit: Duration
  /// `true` if a file that acct obeys names it: then it runs only if no other user can have written it or put it there.
  package var isNamed = false

  package init(
    _ program: String,
    _ arguments: [String],
    input: Input = .nothing,
    outputLimit: Int = 1 << 20,
    timeLimit: Duration = .seconds(30)
  ) {
    self.program = program
    self.arguments = arguments
    self.input = input
    self.outputLimit = outputLimit
    self.timeLimit = timeLimit
  }

  /// Its standard input.
  package enum Input: Equatable, Sendable {
    /// `/dev/null`.
    case nothing
    /// At most ``longest`` bytes.
    case text(String)
    /// The user's own, and with it the terminal: the program may ask for a passphrase. What it prints on standard error
    /// is shown to the user as well, instead of kept.
    case terminal

    /// As many bytes as a pipe takes from one that does not wait (`PIPE_BUF`).
    package static let longest = 4096
  }
}

/// The end of a program.
package struct ProgramResult: Equatable, Sendable {
  /// Its exit status; 128 and the signal's number if a signal ended it, as shells count.
  package var status: Int32
  /// Its standard output, whole.
  package var output: Secret
  /// The beginning of its standard error.
  package var errors: Secret

  package init(status: Int32, output: Secret, errors: Secret = Secret("")) {
    self.status = status
    self.output = output
    self.errors = errors
  }
}

/// Why a program gave no result.
package enum ProgramFailure: Error, Equatable, Sendable {
  /// It could not be started.
  case unusable(ExecFailure)
  /// It did not end in time.
  case timedOut(program: String)
  /// It printed more than the caller takes.
  case tooLong(program: String)
  /// The caller's task was cancelled.
  case cancelled
}
