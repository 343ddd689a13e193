import AcctEngine
package import AcctModel
import AcctPorts
package import AcctProtocol
import Release
import StrictJSON

extension ErrorMessage {
  /// The user's input can't be used.
  init(_ error: InputError) {
    switch error {
    case .removalUnconfirmed(let names):
      self = .code("confirmationNeeded", .usage)
        .saying("\(list(names)) would be removed; nothing was changed")
        .hint("confirm it at a terminal, or with --yes")
    case .method(let method): self = .code("usage", .usage).saying("not an HTTP method: \(method)")
    case .malformed(let error): self.init(error)
    case .tokenAsName:
      self = .code("usage", .usage)
        .saying("a token is no name: names are in clear")
        .hint("give another name; `acct add --token FILE --allow-origin https://api.example.com` adds a token")
    case .handoff(let error): self.init(error)
    case .staticToken(let error): self.init(error)
    case .loginOption(let option, let account):
      self = .code("usage", .usage).saying("\(option) is of no use to \(account): it has another kind of sign-in")
    case .nothingToAdd:
      self = .code("usage", .usage)
        .saying(
          "add what? a provider, a handle, --issuer, --resource, --backend, --session or --guest URL, "
            + "or --token or --import FILE"
        )
        .hint("on a terminal, `acct add` asks; `acct add --help` shows what it takes")
    case .relativePath(let option):
      self = .code("badInput", .badInput)
        .saying("\(option) names a file in a folder that does not exist any more")
        .hint("give its whole path")
    case .emptyValue(let option):
      self = .code("usage", .usage)
        .saying(option.map { "the value of \($0) is empty" } ?? "an argument is empty")
        .hint("a variable of the shell may not be set; leave out what is not needed")
    case .clientSecret(.empty): self = .code("badSecret", .badInput).saying("the client secret is empty")
    case .clientSecret(.controlCharacter):
      self = .code("badSecret", .badInput).saying("the client secret has a control character: its file has one line")
    case .clientKey(let error):
      self = .code("badKey", .badInput)
        .saying("the client key can't be used: \(words(for: error))")
    case .certificate(.otherKey):
      self = .code("certificateKey", .badInput)
        .saying("the key in --cert-key is that of another certificate than the first one in --cert")
    case .certificateEnded(let time):
      self = .code("certificateEnded", .badInput).saying("the client certificate ended at \(time)")
    case .certificate(let error):
      self = .code("badCertificate", .badInput).saying("the client certificate can't be used: \(words(for: error))")
    case .secretFile(.failed(let path, let reason)): self = .code("badInput", .badInput).saying("\(path): \(reason)")
    case .secretFile(.exposed(let path, let reason, let chmod)):
      self = .code("badInput", .badInput)
        .saying("\(path): \(reason)")
        .hint(closing(chmod))
    case .secretFile(.exists(let path)): self = .code("badInput", .badInput).saying("\(path) already exists")
    case .secretFile(.missing):
      self = .code("badInput", .badInput)
        .saying("--client-secret-file, --client-key and --cert-key name a file, and there is no such file")
        .hint("other programs can read a command line: keep the secret in a file, or use - and a pipe")
    case .stream(.tooLarge(let name, let limit)):
      self = .code("badInput", .badInput).saying("\(name) is larger than \(limit / 1024) KiB")
    case .stream(.failed(let name, let reason)):
      self = .code("badInput", .badInput)
        .saying("can't read \(name): \(reason)")
    }
  }

  /// Something that the user typed is malformed.
  package init(_ parseError: ParseError) {
    switch parseError {
    case .refusedURL(let refusal): self = .code("urlRefused", .refused).saying("refused: \(words(for: refusal))")
    case .url: self = .code("usage", .usage).saying("not an absolute http or https URL")
    case .origin(let text):
      self = .code("usage", .usage)
        .saying("not an origin: \(text)")
        .hint("as in https://api.example.com")
    case .accountName(let text):
      self = .code("usage", .usage)
        .saying("not a valid name: \(text)")
        .hint("1 to 253 characters without spaces, not beginning with -")
    case .accountID(let text): self = .code("usage", .usage).saying("not an account id: \(text)")
    case .handle(let text): self = .code("usage", .usage).saying("not a handle: \(printableASCII(text))")
    case .did(let text): self = .code("usage", .usage).saying("not a DID: \(text)")
    case .issuer(let text): self = .code("usage", .usage).saying("not an issuer: \(text)")
    case .resource: self = .code("usage", .usage).saying("not a resource: an absolute URL without a fragment")
    case .redirect:
      self = .code("usage", .usage)
        .saying("not a redirect address on this machine")
        .hint("as in http://localhost:8080/callback; the host is localhost, 127.0.0.1 or [::1]")
    case .parameter: self = .code("usage", .usage).saying("not a parameter: it is NAME=VALUE")
    case .tpmAddress:
      self = .code("usage", .usage)
        .saying("a TPM is an absolute path, or swtpm:host=HOST,port=NUMBER")
    case .ownParameter(let name): self = .code("usage", .usage).saying("the parameter \(name) is sent by acct itself")
    case .timestamp: self = .code("usage", .usage).saying("not a time")
    case .token: self = .code("badInput", .badInput).saying("not a token")
    case .tokenType: self = .code("usage", .usage).saying("not a type of tokens: it is id, access, jwt or a URI")
    case .programLine:
      self = .code("usage", .usage)
        .saying("not a program with its arguments")
        .hint("quotes are closed, as in a shell")
    }
  }

  /// Imported credentials can't be used.
  package init(_ error: HandoffError) {
    switch error {
    case .json(let error):
      self = .code("badJSON", .badInput)
        .saying(words(for: error))
    case .notAnObject:
      self = .code("badHandoff", .badInput)
        .saying("the JSON is not an object")
    case .missing(let member):
      self = .code("badHandoff", .badInput)
        .saying("there is no \(member)")
    case .member(let member, let flaw):
      self = .code("badHandoff", .badInput)
        .saying("\(member) \(words(for: flaw))")
    case .refused(let member, let refusal):
      self = .code("urlRefused", .refused)
        .saying("refused: \(member): \(words(for: refusal))")
    case .key(let error):
      self = .code("badKey", .badInput)
        .saying("the DPoP key can't be used: \(words(for: error))")
    case .keyMissing:
      self = .code("keyMissing", .badInput)
        .saying("the token is bound to a DPoP key, and dpopKey is missing")
        .hint("without its key the token can't be used")
    case .keyBinding:
      self = .code("keyBinding", .badInput)
        .saying("the token is bound to another DPoP key: its cnf.jkt is not this key's thumbprint")
    case .certificateMissing:
      self = .code("certificateMissing", .badInput)
        .saying("the token is bound to a client certificate, and none was given")
        .hint("give it with --cert FILE --cert-key FILE")
    case .certificateBinding:
      self = .code("certificateBinding", .badInput)
        .saying("the token is bound to another client certificate: its cnf.x5t#S256 is not this one's thumbprint")
    case .idToken(let flaw):
      self = .code("badToken", .badInput)
        .saying("the ID token can't be used: \(words(for: flaw))")
    case .foreign(let document):
      let (what, remedy) = words(for: document)
      self = .code("badHandoff", .badInput)
        .saying("this is \(what), and no account's tokens")
        .hint(remedy)
    }
    hint = [hint, "nothing was stored"].compactMap(\.self).joined(separator: "; ")
  }
}

package func words(for refusal: ParseError.Refusal) -> String {
  switch refusal {
  case .userInformation: "the URL has a password, a token or an unusable name before its @, which is not the host"
  case .unusableHost: "the host has characters that clients interpret differently"
  case .plainHTTP: "plain http is for loopback only; use https"
  }
}

/// The words for a file that has no account's tokens, and the hint where it belongs.
private func words(for document: ForeignDocument) -> (what: String, remedy: String) {
  switch document {
  case .certificate:
    (
      "a certificate in PEM",
      "`--cert FILE --cert-key FILE` beside --import presents it with tokens that are bound to it"
    )
  case .privateKey: ("a private key in PEM", "--client-key FILE or --cert-key FILE gives a client its key")
  case .otherPEM: ("a file in PEM", "--import takes JSON")
  case .key: ("a key (JWK) alone", "a token's own key goes into dpopKey, beside accessToken")
  case .keySet: ("a set of keys (JWK set)", "a token's own key goes into dpopKey, beside accessToken")
  case .serviceAccount:
    ("the key file of a service account", "`acct add --grant jwt-bearer --client-key FILE` takes it, with --scope")
  case .authorizedUser: ("a file of gcloud without an access token", "`acct add google` signs in")
  case .token: ("a token alone", "`acct add --token FILE --allow-origin https://api.example.com` takes it")
  case .severalTokens:
    ("a file of rclone with several accounts", "`rclone config show NAME | acct add --import -` takes one")
  }
}

private func words(for flaw: HandoffError.Flaw) -> String {
  switch flaw {
  case .notAString: "is not a string"
  case .notAnArrayOfStrings: "is not an array of strings"
  case .doubled: "is present twice, in two spellings"
  case .malformed: "is malformed"
  case .unknownTokenType: "is neither DPoP nor Bearer"
  case .unknown: "is no member of a description of a sign-in"
  case .misplaced: "does not go with this grant"
  }
}

/// The line that takes away what the mode of a file, or of a folder above it, gives to other users.
package func closing(_ chmod: String?) -> String? { chmod.map { "`\($0)`" } }

extension ErrorMessage {
  /// A token that a request starts from can't be had; nothing was sent.
  init(_ error: InputTokenError) {
    switch error {
    case .file(.missing(let path)):
      self = .code("badInput", .badInput)
        .saying("\(shown(path)): no such file")
        .hint("the file has the token itself")
    case .file(.exposed(let path, let reason, let chmod)):
      self = .code("badInput", .badInput)
        .saying("\(shown(path)): \(reason)")
        .hint(closing(chmod))
    case .file(.failed(let path, let reason)): self = .code("badInput", .badInput).saying("\(shown(path)): \(reason)")
    case .file(.exists(let path)): self = .code("badInput", .badInput).saying("\(shown(path)) already exists")
    case .unusable(.empty, .file(let path)): self = .code("badInput", .badInput).saying("\(shown(path)) is empty")
    case .unusable(.empty, .program(let program)):
      self = .code("badInput", .badInput).saying("\(printable(program)) printed no token")
    case .unusable(.notToken, let origin):
      self = .code("badInput", .badInput).saying("\(words(for: origin)) is not one word, so it is no token")
    case .unusable(.notJWT, let origin):
      self = .code("badInput", .badInput)
        .saying("\(words(for: origin)) is not a JWT")
    case .ended(let origin, let time):
      self = .code("inputTokenEnded", .signInRequired)
        .saying("\(words(for: origin)) ended at \(time)")
        .hint("what provides it writes a new one in time: check that it runs")
    case .program(let failure):
      self.init(failure)
      if failure != .cancelled { (code, status) = ("badInput", .badInput) }
    case .refused(let program, let status, let words):
      let reason = words.isEmpty ? "" : ": \(printable(words))"
      self = .code("badInput", .badInput).saying("\(printable(program)) ended with status \(status)\(reason)")
    case .accountGone:
      self = .code("badInput", .badInput)
        .saying("the account whose token was exchanged is gone")
        .hint("add this one anew")
    case .circular(let account):
      self = .code("badInput", .badInput).saying("the token of \(account) starts from this account's own")
    case .account(_, let error):
      self.init(error)
      if case .authorization(.noIDToken) = error { hint = "`--subject-type access` exchanges its access token" }
    case .local(let account):
      self = .code("localToken", .failed)
        .saying(
          "\(account.map { "\($0)" } ?? "the account") starts from a token of this machine: it can't be used by others"
        )
        .hint(
          account == nil
            ? "`ACCT_KEYRING=vault acct add …` keeps it on this machine" : "add it on the other machine with `acct add`"
        )
    }
  }
}

/// The tokens that an account's requests start from.
///
/// - Parameters:
///   - client: The settings of the account's client.
///   - subject: The account whose token it is; `nil` if it is another's, or the account is gone.
/// - Returns: The words; none for a client that starts from none.
package func words(for client: ClientSettings, _ subject: AccountName?) -> String {
  let token: String? =
    switch client.inputs.grantToken {
    case .file(let path): "the token in \(shown(path))"
    case .program(let line): "the token of \(printable(line.shown))"
    case .account(let id): "the token of \(subject.map(\.description) ?? "the account \(id), which is gone")"
    case nil: nil
    }
  let assertion = client.inputs.clientAssertion.map { "the client's assertion in \(shown($0))" }
  return [token, assertion].compactMap(\.self).joined(separator: ", ")
}

private func words(for origin: TokenOrigin) -> String {
  switch origin {
  case .file(let path): shown(path)
  case .program(let program): "the token of \(printable(program))"
  }
}

/// A path; not a token that was given in the place of one.
private func shown(_ path: String) -> String {
  let name = path.split(separator: "/").last ?? ""
  return name.hasPrefix("eyJ") || name.utf8.count > 100 ? "the given file" : printable(path)
}

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
        .hint("as in 2027-01-31, 2027-01-31T12:00:00Z, or 90d from now")
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
    case .parameter(let name):
      self = .code("usage", .usage)
        .saying("not the name of a parameter: \(printable(name))")
        .hint("as in --query appid: letters, digits, - . _ and ~")
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
