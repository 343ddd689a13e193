import AcctEngine
package import AcctModel
import AcctPorts
import AcctProtocol
import Release

extension ErrorMessage {
  /// A static token can't be added; nothing was stored.
  init(_ error: StaticTokenError) {
    switch error {
    case .header(let flaw): self.init(flaw)
    case .contents(let flaw, let file):
      let name = file == "-" ? "standard input" : file
      self = .code("badToken", .badInput)
        .saying("\(name) \(words(for: flaw))")
        .hint(remedy(for: flaw))
    case .password(let flaw, let file):
      let name = file.map { $0 == "-" ? "standard input" : $0 } ?? "the password"
      self = .code("badToken", .badInput)
        .saying("\(name) \(words(for: flaw))")
        .hint(remedy(for: flaw))
    case .file(.exposed(let path, let reason, let chmod)):
      self = .code("fileExposed", .badInput)
        .saying("\(path): \(reason)")
        .hint(closing(chmod))
    case .file(.failed(let path, let reason)): self = .code("badInput", .badInput).saying("\(path): \(reason)")
    case .file(.missing):
      self = .code("badInput", .badInput)
        .saying("--token names a file, and there is no such file")
        .hint("other programs can read a command line: keep the token in a file, or use - and a pipe")
    case .file(.exists(let path)): self = .code("badInput", .badInput).saying("\(path) already exists")
    case .noOrigin:
      self = .code("usage", .usage)
        .saying("--token needs --allow-origin: without an origin the token can't be sent")
        .hint("as in --allow-origin https://api.example.com")
    case .boundToKey:
      self = .code("keyMissing", .badInput)
        .saying("the token is bound to a DPoP key, without which no server accepts it")
        .hint("`acct add --import FILE` takes a token together with its dpopKey")
    case .expiry(let text, let isPast):
      self = .code("usage", .usage)
        .saying("--expires \(printable(text)) is \(isPast ? "in the past" : "not a time")")
        .hint("as in 2027-01-31, or 2027-01-31T12:00:00Z")
    case .unnamed:
      self = .code("usage", .usage)
        .saying("no name for the account can be made of this user and origin")
        .hint("give --name")
    case .nameTaken(let name):
      self = .code("nameTaken", .usage)
        .saying("another account is called \(name)")
        .hint("give --name, as the name is what finds this token's account again")
    case .sentOtherwise(let name):
      self = .code("nameNeeded", .usage)
        .saying("\(name) has a token that is sent in another form")
        .hint("--name \(shellWord(name.description)) replaces it; any other --name adds an account")
    case .otherOrigins(let name, let origins):
      self = .code("otherOrigins", .failed)
        .saying("\(name) has a token for \(origins.map(\.description).joined(separator: ", ")), which was kept")
        .hint("`--replace` replaces it; any other --name adds an account")
    }
  }

  private init(_ flaw: StaticHeaderFlaw) {
    switch flaw {
    case .field(let name):
      self = .code("usage", .usage)
        .saying("not the name of a header: \(printable(name))")
        .hint("as in --header X-API-Key")
    case .reservedField(let name):
      self = .code("usage", .usage)
        .saying("\(name) has another meaning and can't contain a token")
    case .scheme(let scheme):
      self = .code("usage", .usage)
        .saying("not a scheme: \(printable(scheme))")
        .hint("as in --scheme Token; none sends the token alone")
    case .needsKey:
      self = .code("usage", .usage)
        .saying("the scheme DPoP needs a key")
        .hint("`acct add --import FILE` takes a token together with its dpopKey")
    case .user:
      self = .code("usage", .usage)
        .saying("the user's name has a colon or a control character, or is longer than 255 bytes")
        .hint("the scheme Basic (RFC 7617) has no way to send it")
    case .basicElsewhere: self = .code("usage", .usage).saying("--basic is for the header Authorization")
    }
  }
}

private func words(for flaw: TokenFileFlaw) -> String {
  switch flaw {
  case .empty: "contains no token"
  case .severalLines: "has more than one line, and a token is one line"
  case .space: "has a space or a tab, which no token has"
  case .character: "has a character that can't be sent in a header"
  }
}

private func remedy(for flaw: TokenFileFlaw) -> String? {
  switch flaw {
  case .empty, .severalLines: nil
  case .space: "give the token alone, without a scheme such as Bearer: --scheme names another one"
  case .character: "a token has visible ASCII characters alone; copy it again"
  }
}

private func words(for flaw: PasswordFlaw) -> String {
  switch flaw {
  case .empty: "is empty"
  case .severalLines: "has more than one line, and a password is one line"
  case .control: "has a control character"
  case .notText: "is not text in UTF-8"
  }
}

private func remedy(for flaw: PasswordFlaw) -> String? {
  switch flaw {
  case .empty, .severalLines: nil
  case .control, .notText: "the scheme Basic (RFC 7617) sends any text in UTF-8 without control characters"
  }
}

/// The command that replaces a static token which is of no use any more.
package func remedy(for replacement: TokenReplacement) -> String {
  "`\(loginLine(replacement.account))` stores a new one"
}
