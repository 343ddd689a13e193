import AcctEngine
import AcctModel
import AcctPorts

extension ErrorMessage {
  /// An account's file is not used.
  init(_ skipped: SkippedAccount) {
    let account = skipped.name?.description ?? "account \(skipped.id)"
    let path = printable(skipped.path)
    switch skipped.flaw {
    case .damaged:
      self.init(
        "damagedAccount",
        .badInput,
        "the file of \(account) is damaged: \(path)",
        hint: "restore it from a backup; or move it away and run `acct doctor --repair`"
      )
    case .newer:
      self.init(
        "newerAccount",
        .badInput,
        "the file of \(account) was written by a later version of acct: \(path)",
        hint: "update acct on this machine"
      )
    case .renamed(let id):
      let folder = skipped.path.dropLast("\(skipped.id).json".count)
      self.init(
        "renamedAccount",
        .badInput,
        "the file of \(account) has another account's name, and is not used: \(path)",
        hint: "`mv -n \(shellWord(skipped.path)) \(shellWord("\(folder)\(id).json"))` renames it back"
      )
    case .unsafe(let reason):
      self.init(
        "fileUnsafe",
        .badInput,
        "the file of \(account) is not used: \(path): \(printable(reason))",
        hint: "only you may own or write it; check what is in it first"
      )
    }
  }

  /// This message with the accounts whose files are not used in its hint, if there are any: another account, or another
  /// server for one, is not what the user looks for.
  func tellingSkipped(in world: World) -> ErrorMessage {
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
