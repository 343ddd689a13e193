import AcctConsole
import AcctModel
import AcctEngine
package import AcctPorts
import AcctProtocol

/// Logins of other programs could not be taken over.
package enum MigrationError: Error, Equatable, Sendable {
  /// There is no login; `nil`: of any program.
  case nothing(OtherProgram?)
  /// None of the program's logins has this name; it has these.
  case unknown(String, OtherProgram, candidates: [String])
  /// The name that was given is for one account, and the program has several.
  case oneNameForSeveral(OtherProgram)
  /// A file can't be read.
  case file(SecretFileFailure)
  /// A file is not what the program writes.
  case malformed(path: String, OtherProgram, MigrationFlaw)
  /// A program that has to be asked gave no answer.
  case program(ProgramFailure)
  /// A program was asked and refused; the first line of its words.
  case refused(program: String, status: Int32, words: String)
  /// A program's answer is not usable.
  case answer(program: String)
  /// An import of a file that this program has written.
  case otherFile(OtherProgram, path: String)
}

extension EngineError {
  /// The failure of a use case.
  static func migration(_ error: MigrationError) -> EngineError { .told(Told(error, ErrorMessage(error))) }

  /// The failure, if it is one of these.
  var migration: MigrationError? { if case .told(let told) = self { told.failure as? MigrationError } else { nil } }
}
