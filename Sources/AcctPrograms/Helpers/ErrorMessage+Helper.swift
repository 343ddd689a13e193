import AcctConsole
package import AcctEngine
import AcctModel
import AcctProtocol

extension ErrorMessage {
  /// A program did not speak its credential protocol: that is a mistake in a command line, or in the
  /// program.
  ///
  /// The values that the program gave are not repeated; one of them may be a password.
  package init(_ flaw: HelperFlaw) {
    switch flaw {
    case .operation(nil):
      self = .code("usage", .usage)
        .saying("the operation is missing")
        .hint("see `man acct-helper`")
    case .operation(let word?):
      self = .code("usage", .usage)
        .saying("the protocol has no operation \(printable(word))")
        .hint("see `man acct-helper`")
    case .arguments:
      self = .code("usage", .usage)
        .saying("too many arguments")
        .hint("see `man acct-helper`")
    case .option(let name, let flaw): self.init(name, flaw)
    case .tooLarge: self.init(badQuestion: "it is larger than 64 KiB")
    case .line: self.init(badQuestion: "a line is not KEY=VALUE")
    case .repeated(let name): self.init(badQuestion: "\(printable(name)) is given twice")
    case .missing(let name): self.init(badQuestion: "\(printable(name)) is missing or empty")
    case .value(let name): self.init(badQuestion: "\(printable(name)) has an unusable value")
    case .notText: self.init(badQuestion: "it is not text in UTF-8")
    case .notJSON: self.init(badQuestion: "it is not a JSON object")
    }
  }

  private init(badQuestion reason: String) {
    self = .code("badQuestion", .failed).saying("the program's question can't be read: \(reason)")
  }

  /// A program gets no credential.
  package init(_ reason: NoCredential) {
    switch reason {
    case .noAccount(let origins):
      let origin = origins.first.map(\.description) ?? "the server"
      self = .code("noAccount", .noSuchAccount)
        .saying("no account has the origin \(origin)")
        .hint(origins.first.map { "to allow it for one, run `acct allow NAME \($0)`" })
    case .several(let origins, let names, let reach, let namesNoPath):
      let origin = origins.first.map(\.description) ?? "the server"
      let list = names.map(\.description).joined(separator: ", ")
      self = .code("severalAccounts", .noSuchAccount)
        .saying("\(origin) is an origin of more than one account: \(list)")
        .hint(
          reach.passesOn
            ? "select one with --account, ACCT_ACCOUNT or `acct switch`"
            : namesNoPath
              ? "let the program name a path (git: `git config --global credential.useHttpPath true`), or select one with "
                + "--account or ACCT_ACCOUNT"
              : "select one with --account, ACCT_ACCOUNT, a .acct file or `acct switch`"
        )
    case .notChosen(let name, let origin, .registry):
      self = .code("notGiven", .refused)
        .saying(
          "\(name) has other origins besides \(origin), so the program gets its credential only if " + "you choose it"
        )
        .hint("log in with the program, or set ACCT_ACCOUNT")
    case .notChosen(let name, let origin, let reach):
      self = .code("notGiven", .refused)
        .saying("the program sends tokens on, so it gets that of \(name) only if you choose it")
        .hint(
          reach == .namedByRepository
            ? "set ACCT_ACCOUNT: a .acct file does not count, nor does an allowed origin, since others "
              + "may have repositories there"
            : "set ACCT_ACCOUNT (a .acct file does not count), or, if all of \(origin) may have it, "
              + "run `\(acctLine("allow", name.description, origin.description))`"
        )
    case .notAccepted(let name, let form):
      self = .code("notAccepted", .refused)
        .saying("the program can't send the credential of \(name): \(words(for: form))")
    case .otherUser(let name):
      self = .code("otherUser", .noSuchAccount).saying("the program asks for another user than that of \(name)")
    case .noSuchUser(let user, let origin, let names):
      self.init(EngineError.selection(.otherUser(user, origin, names)))
      hint = "let the program name one of them, or set ACCT_ACCOUNT"
    case .unusable(let error):
      self.init(error)
      // A URL that the user did not type is no mistake of the command line.
      if status == .usage { text = "refused: the program's server is not an http or https origin" }
      status = .refused
    case .otherProtocol:
      self = .code("otherProtocol", .refused)
        .saying("acct has credentials for http and https only")
    case .unverified:
      self = .code("unverified", .refused)
        .saying("the program does not verify the server's certificate, so any server can take its place")
        .hint("give the program the server's certificate authority")
    case .noAddress:
      self = .code("noAddress", .usage)
        .saying("the program does not say which server it asks for")
        .hint("select the account with --account, or let the program name the server")
    case .noCluster:
      self = .code("noAddress", .usage)
        .saying(
          "the program does not say which cluster it asks for, and an ID token goes to an account's own origins only"
        )
        .hint("set provideClusterInfo: true beside the command in the kubeconfig")
    case .notKept(let name):
      self = .code("notKept", .refused)
        .saying("the credential of \(name) is not a login that the program has stored")
        .hint("`\(acctLine("remove", name.description))` removes the account")
    case .nothingKept(let origins):
      let origin = origins.first.map(\.description) ?? "the server"
      self = .code("nothingKept", .noSuchAccount).saying("no login is kept for \(origin)")
    case .failed(let error): self.init(error)
    }
  }
}

/// Why a program can't send a credential of a form.
private func words(for form: CredentialForm) -> String {
  switch form {
  case .scheme(let scheme): "it is sent with the scheme \(scheme)"
  case .basic: "it is the password of a user"
  case .userIsToken: "it is sent as a user"
  case .bare(let field): "it is sent as the field \(field)"
  case .query(let parameter): "it is sent in the URL's query, as \(parameter)"
  case .guest: "a guest's token is sent with a device id"
  case .cookie: "it is sent as a cookie"
  case .bound: "each request needs a proof by its DPoP key"
  }
}

extension EngineError {
  /// A program's question that its protocol does not have.
  static func question(_ flaw: HelperFlaw) -> EngineError { .told(Told(flaw, ErrorMessage(flaw))) }
}

extension ErrorMessage {
  /// An option of `helper aws` can't be used; its value is not repeated.
  init(_ option: String, _ flaw: HelperFlaw.OptionFlaw) {
    let (text, hint): (String, String?) =
      switch flaw {
      case .unknown:
        (
          "unknown option '\(printable(option))'",
          didYouMean(suggested(for: option, of: AWSCredentialProcess.optionNames))
        )
      case .repeated: ("\(option) is given twice", nil)
      case .missing: ("\(option) is missing, or has no value", form(of: option))
      case .value: ("\(option) has an unusable value", form(of: option))
      }
    self = .code("usage", .usage)
      .saying(text)
      .hint((hint.map { "\($0) " } ?? "") + "`man acct-helper` shows what it takes")
  }

  /// AWS's token service gives no keys of a role.
  init(roleRefused refusal: OAuthError, _ origin: Origin) {
    self = .code("identityRefused", .signInRequired).saying("\(origin) \(words(for: refusal))")
    guard case .refused(let code, let message, _) = refusal else { return }
    let reason: String
    switch RoleAnswer.cause(of: code) {
    case .expired: (reason, needsLogin) = ("rejects the token as expired", true)
    case .issuer:
      (reason, needsLogin) = ("does not know the token's issuer, or the client that it is for", true)
      hint = "both have to be in IAM, as an identity provider and its audience"
    case .claim: (reason, needsLogin) = ("has it from the token's issuer that a claim is not valid", true)
    case .access:
      reason = "does not let the token's user take the role"
      hint = "the role's trust policy says which issuer, client and subject it accepts"
    case .issuerAway:
      (status, reason) = (.serverFailed, "can't reach the token's issuer")
      hint = "AWS reads its keys over the Internet; try again later"
    case .region:
      (status, reason) = (.serverFailed, "is not turned on for the role's AWS account")
      hint = "name another region with --region, or turn this one on in IAM, Account settings"
    case .rate, .other: return
    }
    text = "\(origin) \(reason): " + [code, message].compactMap(\.self).map(printable).joined(separator: ": ")
  }
}

/// The values that an option of `helper aws` takes, as a clause.
private func form(of option: String) -> String? {
  switch option {
  case "--role-arn": "it is as in arn:aws:iam::123456789012:role/NAME;"
  case "--region": "it is as in eu-central-1, here or in AWS_REGION;"
  case "--session-name": "it has 2 to 64 letters, digits or _=,.@-+;"
  case "--duration": "it is a number of seconds from 900 to 43200;"
  case "--access": "it takes no value;"
  default: nil
  }
}
