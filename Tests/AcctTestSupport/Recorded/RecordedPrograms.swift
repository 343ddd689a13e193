package import AcctPorts
import Secrets
import Synchronization

/// Programs that are not run: a test says what each would print.
package final class RecordedPrograms: Sendable {
  private struct State {
    var calls: [ProgramCall] = []
    var programs: [String: @Sendable (ProgramCall) throws(ProgramFailure) -> ProgramResult] = [:]
  }

  private let state = Mutex(State())

  /// What was run, in order.
  package var calls: [ProgramCall] { state.withLock { $0.calls } }

  /// Installs a program.
  package func install(
    _ program: String,
    _ run: @escaping @Sendable (ProgramCall) throws(ProgramFailure) -> ProgramResult
  ) {
    state.withLock { $0.programs[program] = run }
  }

  /// Installs a program that prints the answer to its arguments, and fails for any others.
  package func install(_ program: String, answering answers: [[String]: String]) {
    install(program) { call throws(ProgramFailure) in
      guard let answer = answers[call.arguments] else {
        return ProgramResult(status: 1, output: Secret(""), errors: Secret("\(program): unknown arguments\n"))
      }
      return ProgramResult(status: 0, output: Secret(answer))
    }
  }

  /// The programs as a command gets them; one that is not installed is not found.
  package var port: Programs {
    Programs(
      run: { call throws(ProgramFailure) in
        let program = self.state.withLock { state in
          state.calls.append(call)
          return state.programs[call.program]
        }
        guard let program else { throw .unusable(.notFound(program: call.program)) }
        return try program(call)
      },
      exists: { name in self.state.withLock { $0.programs[name] != nil } }
    )
  }
}
