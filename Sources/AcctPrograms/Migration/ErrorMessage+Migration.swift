import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol

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
