package import AcctEngine
package import AcctModel
package import AcctPorts
import Release
import Secrets

extension ErrorMessage {
  /// The account's credential can't be sent there, or not in that form.
  init(_ error: AuthorizationError) {
    switch error {
    case .urlNeeded(let name):
      self = .code("urlNeeded", .usage)
        .saying("\(name) has a DPoP key, and a proof is for one method and one URL: name the URL")
        .hint("acct header [METHOD] URL")
    case .noBearer(let account):
      self = .code("noBearer", .usage)
        .saying("the token of \(account.name) is bound to a DPoP key and can't be sent as a bearer token")
        .hint(account.bearerHint ?? "leave out --bearer")
    case .noBearerToken(let account):
      self = .code("noBearerToken", .usage)
        .saying("the token of \(account.name) is not a bearer token, and SASL has no other")
        .hint(account.bearerHint ?? "leave out --sasl and --user, or name another account with --account")
    case .notSent(let name):
      self = .code("notSent", .usage)
        .saying(
          "the token of \(name) is for no header field: its server issued it with the type N_A, or as an ID token"
        )
        .hint("`acct token -a \(shellWord(name.description))` prints it")
    case .inQuery(let name):
      self = .code("inQuery", .usage)
        .saying("the token of \(name) is sent in the URL's query, and no header can carry it")
        .hint("--format curl prints it for curl -K (from 7.87 on); acct request and acct proxy send it")
    case .noSecondToken(let name):
      self = .code("noSecondToken", .usage)
        .saying("\(name) has no refresh token that could bring a token for another audience or scope")
        .hint("leave out --audience and --scope")
    case .noIDToken(let name):
      self = .code("noIDToken", .usage)
        .saying("\(name) has no ID token: a sign-in of a person brings one, or an exchange whose server issues one")
        .hint("name another account with --account")
    case .noTokenForResource(let account, let resource):
      let line = signInLine(account, for: resource)
      self = .code("noTokenForResource", .signInRequired)
        .saying("\(account.name) has no token for \(resource), and no refresh token that could bring one")
        .hint(line.map { "to sign in for it alone, run `\($0)`" } ?? loginHint(account.name))
    case .misdirected(let origin):
      let place = origin.map { " to \($0)" } ?? ""
      self = .code("misdirected", .refused).saying("refused: acct was about to send the wrong credential\(place)")
    case .originRefused(let origin, let account, let allowed):
      let list = allowed.map { $0.description }.joined(separator: ", ")
      self = .code("originRefused", .refused)
        .saying(
          "refused: \(origin) is not an origin of \(account)"
            + (allowed.isEmpty ? ", which has none" : "; allowed: \(list)")
        )
        .hint("to allow it, run `\(acctLine("allow", account.description, origin.description))`")
    case .originUnknown(let place, let account):
      let kind = place.path.isEmpty ? "an origin" : "a place"
      self = .code("originUnknown", .failed).saying("\(place) is not \(kind) of \(account)")
    }
  }
}

extension Account {
  /// The hint for a use that needs a bearer token; `nil` where no sign-in to the account brings one.
  package var bearerHint: String? { bearerLine.map { "to sign in for a bearer token, run `\($0)`" } }
}

extension ErrorMessage {
  /// This message with the account that has a refused origin in the hint, if there is one.
  ///
  /// To allow it for the account would send one account's token to another's server; where it is the account's own already,
  /// the token for another resource was requested.
  ///
  /// - Parameters:
  ///   - error: The failure.
  ///   - arguments: The command line.
  ///   - world: Has the accounts.
  /// - Returns: The message as it is told.
  package func namingOwner(for error: EngineError, _ arguments: [String], in world: World) -> ErrorMessage {
    guard case .authorization(.originRefused(let origin, let account, _)) = error,
      let owners = try? Selection(EngineContext(world, .forbidden, timeout: 0, report: { _ in })).owners(of: origin),
      let owner = owners.first
    else { return self }
    var message = self
    guard !owners.contains(account) else {
      message.text = "refused: the token for that --audience may not be sent to \(origin)"
      message.hint = "leave out --audience: a request gets the token for its own origin"
      return message
    }
    let command = arguments.hoistingSharedOptions.first ?? "header"
    let isByFile = !arguments.contains { ["-a", "--account"].contains($0) } && world.hasDirectoryFile
    message.hint =
      owners.count == 1
      ? "\(owner) has it: `acct -a \(shellWord(owner.description)) \(command) …`"
        + (isByFile ? ", or `\(acctLine("switch", "--here", "--add", owner.description))` for this folder" : "")
      : "\(owners.map(\.description).joined(separator: ", ")) have it: `acct -a NAME \(command) …`"
    return message
  }

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
        case .option, .active, .only, .user, .url, .directory: ""
        case .environment: " (from ACCT_ACCOUNT)"
        }
      self.init(unknown: reference, origin, candidates)
    case .unknownInFile(let path, let reference, let candidates):
      self.init(unknown: reference, ", which \(printable(path)) names", candidates)
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
        .hint("each of its lines is the name of an account; `acct switch --here NAME` writes it anew")
    case .directoryNotWritten(.failed(let path, let reason)), .directoryNotWritten(.distrusted(let path, let reason)):
      self = .code("badDirectoryFile", .badInput).saying("can't write \(printable(path)): \(reason)")
    case .directoryNotWritten(.changed(let path)):
      self = .code("badDirectoryFile", .badInput).saying("\(printable(path)) has just been changed").hint("try again")
    case .noDirectory:
      self = .code("badDirectoryFile", .badInput).saying("the working directory is gone")
    case .nameTaken(let name): self = .code("nameTaken", .usage).saying("another account is called \(name)")
    }
  }
}

extension ErrorMessage {
  fileprivate init(unknown reference: String, _ origin: String, _ candidates: [AccountName]) {
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

extension World {
  /// `true` if a `.acct` file may have chosen the account.
  fileprivate var hasDirectoryFile: Bool {
    environment.variable("ACCT_ACCOUNT") == nil
      && environment.directoryFiles().contains { if case .trusted = $0 { true } else { false } }
  }
}
