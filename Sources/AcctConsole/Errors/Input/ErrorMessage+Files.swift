package import AcctEngine
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
    case .newer(let path): self = .newer("newerFile", .badInput, path)
    case .busy:
      self = .code("busy", .failed)
        .saying("another acct process is working on this account")
        .hint("try again in a moment")
    }
  }

  /// A later version of acct wrote a file, or a part of a keyring; it is unchanged.
  static func newer(_ code: String, _ status: ExitStatus, _ place: String) -> ErrorMessage {
    .code(code, status)
      .saying("\(printable(place)) was written by a later version of acct")
      .hint("update acct on this machine")
  }

  /// An account's file is not used.
  package init(_ skipped: SkippedAccount) {
    let account = name(of: skipped)
    let path = printable(skipped.path)
    switch skipped.flaw {
    case .damaged:
      self = .code("damagedAccount", .badInput)
        .saying("the file of \(account) is damaged: \(path)")
        .hint("restore it from a backup; or move it away and run `acct doctor --repair`")
    case .newer:
      self = .code("newerAccount", .badInput)
        .saying("the file of \(account) was written by a later version of acct: \(path)")
        .hint("update acct on this machine")
    case .renamed(let id):
      let folder = skipped.path.dropLast("\(skipped.id).json".count)
      self = .code("renamedAccount", .badInput)
        .saying("the file of \(account) has another account's name, and is not used: \(path)")
        .hint("`mv -n \(shellWord(skipped.path)) \(shellWord("\(folder)\(id).json"))` renames it back")
    case .mode(let reason), .unsafe(let reason):
      self = .code("fileUnsafe", .badInput)
        .saying("the file of \(account) is not used: \(path): \(printable(reason))")
        .hint(
          skipped.hasWrongMode
            ? "check what is in it first; `acct doctor` has one line for all such files"
            : "only you may own or write it; check who created it"
        )
    }
  }

  /// The notices for accounts whose files are not used, with at most one line of chmod(1).
  package static func notices(of skipped: [SkippedAccount]) -> [String] {
    let modes = skipped.filter(\.hasWrongMode)
    guard modes.count > 1, let first = modes.first else { return skipped.map { ErrorMessage($0).text } }
    let folder = first.path.dropLast("/\(first.id).json".count)
    let reason = "others can write to them, or you may not read them"
    return [
      "the files of \(words(for: modes)) are not used: \(reason): run `chmod 600 \(shellWord(String(folder)))/*.json`"
    ] + skipped.filter { !$0.hasWrongMode }.map { ErrorMessage($0).text }
  }

  /// This message with the accounts whose files are not used in its hint, if there are any: another account, or another
  /// server for one, is not what the user looks for.
  package func tellingSkipped(in world: World) -> ErrorMessage {
    switch code {
    case "originRefused", "unknownAccount", "noAccounts", "noActiveAccount", "noPreviousAccount", "otherUser",
      "noAccount":
      let skipped = EngineContext(world, .forbidden, timeout: 0, report: { _ in }).skippedAccounts()
      guard let first = skipped.first.map(ErrorMessage.init) else { return self }
      var message = self
      message.hint = [first.text as String?, skipped.count > 1 ? "`acct doctor` names the others" : first.hint]
        .compactMap(\.self).joined(separator: "; ")
      return message
    default: return self
    }
  }
}

/// The names of accounts whose files are not used: three of them, and the number of the others.
package func words(for skipped: [SkippedAccount]) -> String {
  let others = skipped.count > 3 ? " and \(skipped.count - 3) more" : ""
  return skipped.map(name).sorted().prefix(3).joined(separator: ", ") + others
}

private func name(of skipped: SkippedAccount) -> String { skipped.name?.description ?? "account \(skipped.id)" }
