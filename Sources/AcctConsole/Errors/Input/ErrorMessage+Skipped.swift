package import AcctEngine
import AcctModel
package import AcctPorts

extension ErrorMessage {
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

  /// What to tell of accounts whose files are not used, and no more than one line of chmod(1).
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
