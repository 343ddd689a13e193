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
      self.init("nothingFound", .failed, "\(words) that acct can take over")
    case .unknown(let name, let program, let candidates):
      self.init(
        "loginNotFound",
        .failed,
        "\(program.rawValue) has no login called \(printable(name))",
        hint: "it has \(candidates.map(printable).joined(separator: ", "))"
      )
    case .oneNameForSeveral(let program):
      self.init(
        "usage",
        .usage,
        "--name is for one account, and \(program.rawValue) has several logins",
        hint: "`acct add --from \(program.rawValue) --dry-run` shows them; name one"
      )
    case .file(.missing(let path)): self.init("fileFailed", .failed, "\(printable(path)): no such file or directory")
    case .file(.failed(let path, let reason)): self.init("fileFailed", .failed, "\(printable(path)): \(reason)")
    case .file(.exposed(let path, let reason, let chmod)):
      self.init("fileFailed", .failed, "\(printable(path)): \(reason)", hint: closing(chmod))
    case .file(.exists(let path)): self.init("fileFailed", .failed, "\(printable(path)) already exists")
    case .malformed(let path, let program, let flaw):
      self.init(
        "badInput",
        .badInput,
        "\(printable(path)) is not a file of \(program.rawValue): \(words(for: flaw))",
        hint: nothing
      )
    case .program(let failure): self.init(failure)
    case .refused(let program, let status, let words):
      let reason = words.isEmpty ? "it ended with status \(status)" : printable(words)
      self.init("programFailed", .failed, "\(program) did not give the secret: \(reason)")
    case .answer(let program):
      self.init("programFailed", .failed, "the answer of \(program) is not usable")
    case .otherFile(let program, let path):
      let source = path == "-" ? "FILE" : shellWord(path.contains("/") ? path : "./\(path)")
      self.init(
        "badHandoff",
        .badInput,
        "\(printable(path)) is a file of \(program.rawValue), not JSON for --import",
        hint: "`acct add --from \(program.rawValue) \(source)`"
      )
    }
  }
}
