import AcctConsole
import AcctEngine
import AcctModel
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

extension ErrorMessage {
  /// Logins of another program could not be taken over.
  init(_ error: MigrationError) {
    let nothing = "nothing was stored"
    switch error {
    case .nothing(let program):
      let words = program.map { "\($0.rawValue) has no login" } ?? "no other program has a login"
      self = .code("nothingFound", .failed).saying("\(words) that acct can take over")
    case .unknown(let name, let program, let candidates):
      self = .code("loginNotFound", .failed)
        .saying("\(program.rawValue) has no login called \(printable(name))")
        .hint("it has \(candidates.map(printable).joined(separator: ", "))")
    case .oneNameForSeveral(let program):
      self = .code("usage", .usage)
        .saying("--name is for one account, and \(program.rawValue) has several logins")
        .hint("`acct add --from \(program.rawValue) --dry-run` shows them; name one")
    case .file(.missing(let path)):
      self = .code("fileFailed", .failed)
        .saying("\(printable(path)): no such file or directory")
    case .file(.failed(let path, let reason)):
      self = .code("fileFailed", .failed)
        .saying("\(printable(path)): \(reason)")
    case .file(.exposed(let path, let reason, let chmod)):
      self = .code("fileFailed", .failed)
        .saying("\(printable(path)): \(reason)")
        .hint(closing(chmod))
    case .file(.exists(let path)): self = .code("fileFailed", .failed).saying("\(printable(path)) already exists")
    case .malformed(let path, let program, let flaw):
      self = .code("badInput", .badInput)
        .saying("\(printable(path)) is not a file of \(program.rawValue): \(words(for: flaw))")
        .hint(nothing)
    case .program(let failure): self.init(failure)
    case .refused(let program, let status, let words):
      let reason = words.isEmpty ? "it ended with status \(status)" : printable(words)
      self = .code("programFailed", .failed).saying("\(program) did not give the secret: \(reason)")
    case .answer(let program):
      self = .code("programFailed", .failed).saying("the answer of \(program) is not usable")
    case .otherFile(let program, let path):
      let source = path == "-" ? "FILE" : shellWord(path.contains("/") ? path : "./\(path)")
      self = .code("badHandoff", .badInput)
        .saying("\(printable(path)) is a file of \(program.rawValue), not JSON for --import")
        .hint("`acct add --from \(program.rawValue) \(source)`")
    }
  }
}
