import AcctEngine
import AcctModel

extension ErrorMessage {
  /// A key of a provider can't be taken.
  init(_ error: ProviderKeyError) {
    switch error {
    case .needed(let title, let typed, let page):
      self = .code("keyNeeded", .usage)
        .saying("\(title) needs a key, and no terminal can ask for it")
        .hint(
          "`\(acctLine("add", typed, "--token", "FILE"))` reads it from a file of your own, or from standard input (-)"
            + (page.map { "; it is made at \($0)" } ?? "")
        )
    case .noSignIn(let title, let typed):
      self = .code("usage", .usage)
        .saying("\(title) has keys, and no sign-in")
        .hint(
          "`\(acctLine("add", typed))` asks for one: leave out the options of a sign-in, such as --scope and --client-id"
        )
    case .noKey(let title, let other):
      self = .code("usage", .usage)
        .saying("\(title) has a sign-in: --token and --expires are for a key")
        .hint(
          other.map { "`\(acctLine("add", $0, "--token", "FILE"))` adds a token of it" }
            ?? "a token that you have is added without a provider, by --token and --allow-origin"
        )
    case .nameTaken(let name, let isKey):
      let replacing = isKey ? "; `\(acctLine("login", name.description, "--token", "FILE"))` replaces its key" : ""
      self = .code("nameTaken", .usage)
        .saying("there is an account \(name) already: a second one needs --name")
        .hint("--name NAME adds it under another name\(replacing)")
    case .assignment:
      self = .code("badToken", .usage)
        .saying("the key has the form NAME=value, as in a file of settings")
        .hint("give the value alone, or under a variable that `acct providers` shows; a terminal asks")
    case .foreign(let owner, let other, let title):
      self = .code("foreignKey", .usage)
        .saying("this looks like a key of \(owner), and not of \(title)")
        .hint(
          "`\(acctLine("add", other, "--token", "FILE"))` adds it there; for \(title) all the same, a terminal asks"
        )
    }
  }
}
