import AcctEngine
package import AcctModel
import AcctPorts
import AcctProtocol
import StrictJSON

extension ErrorMessage {
  /// The user's input can't be used.
  init(_ error: InputError) {
    switch error {
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
  init(_ error: HandoffError) {
    let nothing = "nothing was stored"
    switch error {
    case .json(let error):
      self = .code("badJSON", .badInput)
        .saying(words(for: error))
        .hint(nothing)
    case .notAnObject:
      self = .code("badHandoff", .badInput)
        .saying("the JSON is not an object")
        .hint(nothing)
    case .missing(let member):
      self = .code("badHandoff", .badInput)
        .saying("there is no \(member)")
        .hint(nothing)
    case .member(let member, let flaw):
      self = .code("badHandoff", .badInput)
        .saying("\(member) \(words(for: flaw))")
        .hint(nothing)
    case .refused(let member, let refusal):
      self = .code("urlRefused", .refused)
        .saying("refused: \(member): \(words(for: refusal))")
        .hint(nothing)
    case .key(let error):
      self = .code("badKey", .badInput)
        .saying("the DPoP key can't be used: \(words(for: error))")
        .hint(nothing)
    case .keyMissing:
      self = .code("keyMissing", .badInput)
        .saying("the token is bound to a DPoP key, and dpopKey is missing")
        .hint("without its key the token can't be used; \(nothing)")
    case .keyBinding:
      self = .code("keyBinding", .badInput)
        .saying("the token is bound to another DPoP key: its cnf.jkt is not this key's thumbprint")
        .hint(nothing)
    case .certificateMissing:
      self = .code("certificateMissing", .badInput)
        .saying("the token is bound to a client certificate, and none was given")
        .hint("give it with --cert FILE --cert-key FILE; \(nothing)")
    case .certificateBinding:
      self = .code("certificateBinding", .badInput)
        .saying("the token is bound to another client certificate: its cnf.x5t#S256 is not this one's thumbprint")
        .hint(nothing)
    case .idToken(let flaw):
      self = .code("badToken", .badInput)
        .saying("the ID token can't be used: \(words(for: flaw))")
        .hint(nothing)
    case .foreign(let document):
      let (what, remedy) = words(for: document)
      self = .code("badHandoff", .badInput)
        .saying("this is \(what), and no account's tokens")
        .hint("\(remedy); \(nothing)")
    }
  }
}

package func words(for refusal: ParseError.Refusal) -> String {
  switch refusal {
  case .userInformation: "the URL has a password, a token or an unusable name before its @, which is not the host"
  case .unusableHost: "the host has characters that clients interpret differently"
  case .plainHTTP: "plain http is for loopback only; use https"
  }
}

/// What a file is in place of tokens, and what it is for.
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
