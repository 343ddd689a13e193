import AcctEngine
import AcctModel
import AcctProtocol

/// Why an entry of another program's file cannot become an account.
func words(for reason: SkippedLogin.Reason) -> String {
  switch reason {
  case .plainHTTP: "it is for http, which shows a password to the network"
  case .address: "it names no host that acct can send it to"
  case .anyHost: "it is for any host, and an account is for hosts that are named"
  case .noSecret: "it has no password"
  case .notText: "it is not text in UTF-8"
  case .identityToken: "its identity token is of use to docker alone"
  case .unknownRegistry: "cargo's settings name no sparse registry of this name"
  case .helperName: "its credential helper has a name that no program has"
  case .shortLived(let helper):
    "the passwords of docker-credential-\(printable(helper)) end within hours: keep that helper for it"
  case .oauth(let provider):
    "its token ends within hours, and one program alone can renew it: `\(acctLine("add", provider))` signs in"
  case .inKeyring: "its token is not in this file: its program keeps it in a keyring, and is asked without a file"
  }
}

/// The lines that say where the secrets still are, and how to remove them there.
func endings(of found: [FoundAccount]) -> [String] {
  var lines: [String] = []
  for account in found {
    let place = account.login.place
    let file = printable(account.path)
    let line =
      switch account.program {
      case .gh where account.isFileNamed, .glab where account.isFileNamed, .docker where account.isFileNamed,
        .cargo where account.isFileNamed:
        "the secret is still in \(file); to remove it there, delete its entry"
      case .gh where account.login.isOneOfSeveral:
        "gh still has the token; to remove it there: `gh auth logout --hostname \(shellWord(place))"
          + "\(account.login.user.map { " --user \(shellWord($0))" } ?? "")`"
      case .gh: "gh still has the token; to remove it there: `gh auth logout --hostname \(shellWord(place))`"
      case .glab: "glab still has the token; to remove it there: `glab auth logout --hostname \(shellWord(place))`"
      case .git: "git still has the passwords; to remove them there, delete their lines in \(file)"
      case .netrc: "the passwords are still in \(file); to remove them there, delete their entries"
      case .docker: "docker still has the login; to remove it there: `docker logout \(shellWord(place))`"
      case .cargo where place == "crates-io": "cargo still has the token; to remove it there: `cargo logout`"
      case .cargo: "cargo still has the token; to remove it there: `cargo logout --registry \(shellWord(place))`"
      case .oidcAgent:
        "a refresh token is for one program: end it in oidc-agent with `oidc-add --remove \(shellWord(place))` and "
          + "`rm \(shellWord(account.path))`; `oidc-gen --delete` would revoke it here, too"
      }
    if !lines.contains(line) { lines.append(line) }
  }
  return lines
}

/// A login as one phrase, such as "alice at github.com".
func phrase(for found: FoundAccount) -> String {
  found.login.form == .session
    ? found.login.place : [found.login.user, found.host].compactMap(\.self).joined(separator: " at ")
}
