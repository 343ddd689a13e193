import AcctEngine
import AcctModel
package import AcctPorts

extension ErrorMessage {
  /// acct's own files, or the output, could not be used.
  init(_ error: FilesError) {
    switch error {
    case .failed(let failure): self.init(failure)
    case .skipped(let skipped): self.init(skipped)
    case .damagedAccount(let id):
      self = .code("damagedAccount", .badInput)
        .saying("the file of account \(id) is damaged")
    case .foreignLocks(let fileSystem):
      self = .code("foreignLocks", .failed)
        .saying(
          "nothing is renewed: \(printable(fileSystem.path)) is on \(printable(fileSystem.name)), where two "
            + "machines can hold one lock"
        )
        .hint("keep acct's files on this machine; acct-keyring(1) says how several machines use one account")
    case .output(.failed(let name, let reason)):
      self = .code("outputFailed", .failed)
        .saying("can't write \(name): \(reason)")
    case .unwritable(let flaw):
      self = .code("outputFailed", .failed)
        .saying("nothing is printed: a value has a character that \(flaw.format) can't have")
        .hint("`--json` prints it with escapes, where the command has that")
    case .output(.tooLarge(let name, _)):
      self = .code("outputFailed", .failed)
        .saying("can't write \(name): too large")
    case .published(.failed(let path, let reason)):
      self = .code("outputFailed", .failed).saying("can't write \(printable(path)): \(reason)")
    case .published(.unsafe(let path, let reason)):
      self = .code("outputUnsafe", .failed)
        .saying("\(printable(path)) is not safe to write to: \(reason)")
        .hint("each folder of the path has to be yours or root's, and sticky if others can write to it (`chmod +t`)")
    }
  }

  /// A file of acct's own could not be used.
  package init(_ failure: FilesFailure) {
    switch failure {
    case .failed(let path, let reason): self = .code("fileFailed", .failed).saying("\(path): \(reason)")
    case .unsafe(let path, let reason):
      self = .code("fileUnsafe", .failed)
        .saying("\(path) is not safe to use: \(reason)")
        .hint("only you may own or write it; `acct doctor` names all such files, and the line that mends them")
    case .busy:
      self = .code("busy", .failed)
        .saying("another acct process is working on this account")
        .hint("try again in a moment")
    }
  }
}
