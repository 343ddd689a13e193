import AcctEngine
package import AcctModel
import Secrets

extension ErrorMessage {
  /// The account could not be chosen.
  init(_ error: SelectionError) {
    switch error {
    case .noAccounts:
      self = .code("noAccounts", .noSuchAccount)
        .saying("there is no account yet")
        .hint("`acct add` signs in to one; `acct add --import FILE` imports one")
    case .noneActive(let candidates):
      self = .code("noActiveAccount", .noSuchAccount)
        .saying("no account is active; the accounts are \(list(candidates))")
        .hint("`acct switch NAME` makes one active, `--account NAME` selects one for one command")
    case .unknown(let reference, let rule, let candidates):
      let origin =
        switch rule {
        case .option, .active, .only, .user, .url: ""
        case .environment: " (from ACCT_ACCOUNT)"
        case .directory: " (from the .acct file)"
        }
      self = .code("unknownAccount", .noSuchAccount)
        .saying("no account is called \(reference)\(origin)")
        .hint(
          candidates.isEmpty
            ? nil
            : [
              didYouMean(suggested(for: reference, of: candidates.map(\.description))),
              "the accounts are \(list(candidates))",
            ].compactMap(\.self).joined(separator: " ")
        )
    case .ambiguous(let reference, let candidates):
      self = .code("ambiguousAccount", .noSuchAccount)
        .saying("\(reference) could be \(list(candidates))")
        .hint("give its full name, handle or id")
    case .undecidedSwitch(let candidates):
      self = .code("accountNeeded", .usage)
        .saying("switch to which account? the accounts are \(list(candidates))")
        .hint("acct switch NAME")
    case .noPrevious:
      self = .code("noPreviousAccount", .noSuchAccount)
        .saying("there is no previous account")
        .hint("`acct list` shows them all")
    case .severalOwn(let origin, let names):
      self = .code("severalAccounts", .noSuchAccount)
        .saying("\(origin) is an origin of \(list(names)), and not of the active account")
        .hint("`--account NAME` selects one")
    case .otherUser(let user, let origin, let names):
      self = .code("otherUser", .noSuchAccount)
        .saying("none of the accounts of \(origin) is \(shownUser(user)); they are \(list(names))")
        .hint("name one of them in the URL, or leave the user out and select one with --account")
    case .directoryFile(let path, let reason):
      self = .code("badDirectoryFile", .badInput)
        .saying("\(printable(path)) chooses no account: \(reason)")
        .hint("its first line is the name of an account; remove it to use the active one")
    case .nameTaken(let name): self = .code("nameTaken", .usage).saying("another account is called \(name)")
    }
  }
}

/// A user as a message shows it: a token in the user's place is not shown.
private func shownUser(_ user: String) -> String {
  Secret(user).hasTokenPrefix ? "the user that is asked for, which is a token" : "called \(printable(user))"
}

/// Some names, in one line.
package func list(_ names: [AccountName]) -> String {
  let shown = names.prefix(8).map(\.description).joined(separator: ", ")
  return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
}
