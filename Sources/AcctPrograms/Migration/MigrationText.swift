import AcctConsole
import AcctEngine
import AcctModel
import AcctProtocol

/// Why an entry of another program's file cannot become an account.
package func words(for reason: SkippedLogin.Reason) -> String {
  switch reason {
  case .plainHTTP: "it is for http, which shows a password to the network"
  case .address: "it names no host that acct can send it to"
  case .scheme: "its URL is not for https, and acct sends a password with nothing else"
  case .anyHost: "it is for any host, and an account is for hosts that are named"
  case .noSecret: "it has no password"
  case .notText: "it is not text in UTF-8"
  case .auth: "its auth is not USER:PASSWORD in base64"
  case .identityToken: "its identity token is of use to docker alone"
  case .noUser: "it names no user, and curl takes another entry of its host, which does"
  case .twice(let other): "it and \(printable(other)) would be one account, and their secrets differ"
  case .after(let other): "the program takes that of \(printable(other))"
  case .tooLong: "it is longer than curl reads"
  case .unknownRegistry: "cargo's settings name no registry of this name"
  case .gitIndex:
    "the index of its registry is a git repository, to which cargo does not send it; --token with --scheme none "
      + "and --allow-origin adds it for the registry's API"
  case .secretKey: "cargo signs with this key, and acct does not"
  case .helperName: "its credential helper has a name that no program has"
  case .shortLived(let helper):
    "the passwords of docker-credential-\(printable(helper)) end within hours: keep that helper for it"
  case .oauth(let provider):
    "its token ends within hours, and one program alone can renew it: `\(acctLine("add", provider))` signs in"
  case .inKeyring(let program):
    "its token is not in this file: \(program.rawValue) keeps it in a keyring, and "
      + "`\(acctLine("add", "--from", program.rawValue))` asks for it"
  }
}

/// Why another program's file can't be read.
package func words(for flaw: MigrationFlaw) -> String {
  switch flaw {
  case .line(let line, let flaw): "line \(line): \(words(for: flaw))"
  case .json(let error, let line): (line.map { "line \($0): " } ?? "") + words(for: error)
  case .notJSON: "it is not a JSON object"
  }
}

/// Why a line of another program's file is malformed.
package func words(for flaw: LineFlaw) -> String {
  switch flaw {
  case .quote: "a quoted text does not end"
  case .escape: "a quoted text has an escape that the format does not have"
  case .zero: "it has a zero byte"
  case .tab: "a tab indents it, which YAML does not allow"
  case .encoding: "it is not UTF-8"
  case .key: "a key is missing or malformed"
  case .value: "a value is missing or malformed"
  case .repeated: "it sets a key again"
  case .missing(let character): "\(character) is missing"
  case .unopened(let character): "\(character) closes nothing"
  case .rest: "something follows the value"
  case .comment: "a comment does not end"
  }
}

/// The lines that say where the secrets still are, and how to remove them there without hitting what acct did not take.
///
/// - Parameters:
///   - taken: The logins that are accounts now.
///   - found: All that the program has.
/// - Returns: One line for each way to remove them.
package func endings(of taken: [FoundAccount], among found: FoundAccounts) -> [String] {
  var lines: [String] = []
  for account in taken {
    let place = account.login.place
    let file = printable(account.path)
    let toRemove = "to remove it there"
    let line =
      switch account.program {
      case .git:
        "git still has the passwords; to remove them there, delete \(entries("lines", of: account, taken, found)) in \(file)"
      case .netrc:
        "the passwords are still in \(file); to remove them there, delete \(entries("entries", of: account, taken, found))"
      // These commands change the program's own file.
      case .gh where account.isFileNamed, .glab where account.isFileNamed:
        "the secret is still in \(file); to remove it there, delete its entry"
      case .docker where account.isFileNamed, .cargo where account.isFileNamed:
        "the secret is still in \(file); to remove it there, delete its entry \(printable(place))"
      case .gh where account.login.isOneOfSeveral:
        "gh still has the token; \(toRemove): `gh auth logout --hostname \(shellWord(place))"
          + "\(account.login.user.map { " --user \(shellWord($0))" } ?? "")`"
      case .gh: "gh still has the token; \(toRemove): `gh auth logout --hostname \(shellWord(place))`"
      case .glab: "glab still has the token; \(toRemove): `glab auth logout --hostname \(shellWord(place))`"
      // The command ends every login of a host.
      case .docker where found.hasOther(at: account.host, than: place):
        "docker still has the login; \(toRemove), delete its entry \(printable(place)) in \(file)"
      case .docker: "docker still has the login; \(toRemove): `docker logout \(shellWord(place))`"
      case .cargo where place == "crates-io": "cargo still has the token; \(toRemove): `cargo logout`"
      case .cargo: "cargo still has the token; \(toRemove): `cargo logout --registry \(shellWord(place))`"
      case .oidcAgent:
        "a refresh token is for one program: end it in oidc-agent with `oidc-add --remove \(shellWord(place))` and "
          + "`rm \(shellWord(account.path))`; `oidc-gen --delete` would revoke it here, too"
      }
    if !lines.contains(line) { lines.append(line) }
  }
  return lines
}

/// The words for a file's entries: all of them if all were taken, else the lines where they begin.
private func entries(
  _ word: String,
  of account: FoundAccount,
  _ taken: [FoundAccount],
  _ found: FoundAccounts
) -> String {
  let lines = taken.filter { $0.path == account.path }.compactMap(\.login.line)
  let isAll = lines.count == found.accounts.count { $0.path == account.path }
  guard !isAll || found.skipped.contains(where: { $0.path == account.path }) else { return "their \(word)" }
  let numbers = lines.map { "\($0)" }.joined(separator: ", ")
  let places = lines.count == 1 ? "line \(numbers)" : "lines \(numbers)"
  return word == "lines" ? places : "the \(lines.count == 1 ? "entry" : "entries") at \(places)"
}

extension FoundAccounts {
  /// Returns `true` if the program has another login of a host, taken or not.
  fileprivate func hasOther(at host: String, than place: String) -> Bool {
    let places = accounts.filter { $0.host == host }.map(\.login.place) + skipped.map(\.login.name)
    return places.contains { $0 != place && $0.contains(host) }
  }
}

/// A login as one phrase, such as "alice at github.com".
package func phrase(for found: FoundAccount) -> String {
  found.login.form == .session
    ? found.login.place : [found.login.user, found.host].compactMap(\.self).joined(separator: " at ")
}
