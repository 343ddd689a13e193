import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import StrictJSON

extension ErrorMessage {
  /// A sign-in is needed, or did not succeed; nothing was stored.
  init(_ error: SignInError) {
    switch error {
    case .required(let account, let reason): self.init(signIn: account, reason)
    case .notRenewable(let account):
      self = .code("notRenewable", .signInRequired)
        .saying("\(account) has no refresh token, so it can't be renewed")
        .hint(loginHint(account))
    case .tokenFixed(let replacement):
      self = .code("notRenewable", .signInRequired)
        .saying("\(replacement.account) has a static token, which can't be renewed")
        .hint(remedy(for: replacement))
    case .issuerUnknown(let account):
      self = .code("issuerUnknown", .signInRequired)
        .saying("no issuer is known for \(account)")
        .hint(importHint(account))
    case .noWay(let account):
      self = .code("noWay", .signInRequired)
        .saying("\(account) was imported, and nothing tells where it signs in")
        .hint(importHint(account))
    case .otherPerson(let other):
      let place = other.origin.map { " at \($0.authority)" } ?? ""
      let name = printable(other.found)
      let line = addLine(other.theirs)
      self = .code("otherPerson", .refused)
        .saying("signed in as \(name)\(place), not as \(other.account); nothing was changed")
        .hint(line.map { "to add \(name), run `\($0)`" })
    case .personUnknown(let account):
      self = .code("personUnknown", .serverFailed)
        .saying("the server did not say who has signed in, so it may not be \(account)'s person; nothing was changed")
        .hint("try again later: `\(loginLine(account))`")
    case .tokenNeeded(let account):
      self = .code("tokenNeeded", .usage)
        .saying("\(account) needs its new token, and there is no terminal to type it at")
        .hint("`\(loginLine(account, ["--token", "FILE"]))` reads it from your own file; - is stdin")
    case .moved(let account, let origin):
      self = .code("moved", .signInRequired)
        .saying("\(account) has moved to \(origin)")
        .hint("\(loginHint(account)); the refresh token was not used")
    case .refused(let code, let description):
      let words = [code, description].compactMap(\.self).map(printable).joined(separator: ": ")
      self = .code("authorizationRefused", .signInRequired)
        .saying("the server did not sign you in: \(words)")
        .hint(registrationHint(code, description, at: "the server"))
      needsLogin = true
    case .notPushed(let status, let redirect, let origin):
      self = .code("authorizationRefused", .signInRequired)
        .saying("\(origin) refused the request for a sign-in (\(status)) without a reason")
        .hint(
          "most often the client, or its redirect address \(redirect), is not registered there; "
            + "--client-id names another client"
        )
      needsLogin = true
    case .untrustedCallback(let distrust):
      self = .code(distrust.code, .serverFailed).saying("the callback was rejected: \(words(for: distrust))")
    case .deviceCodeExpired:
      self = .code("deviceCodeExpired", .signInRequired)
        .saying("the code expired before it was entered")
        .hint("run the same command again for a new one")
      needsLogin = true
    case .requestRefused(let refusal): self.init(refusal)
    case .callbackTimedOut(let seconds, let addressValidFor, let isRegistered):
      let end = addressValidFor.map { ", and the address was valid for \(validity($0))" } ?? ""
      let again = addressValidFor == nil ? "; --wait SECONDS waits longer" : " for a new address"
      let anew = "; --register registers a new client, if the browser showed that the server does not know this one"
      self = .code("callbackTimedOut", .signInRequired)
        .saying("the browser did not come back within \(duration(seconds))\(end)")
        .hint("run the same command again\(again)\(isRegistered ? anew : "")")
      needsLogin = true
    case .hostUnconfirmed(let origin):
      self = .code("hostUnconfirmed", .signInRequired)
        .saying(
          "\(origin), which only the resource names, does not mark its answers, and no terminal can ask which "
            + "server the browser showed"
        )
        .hint("if you trust \(origin), name it with --issuer, beside --resource")
    case .browserNeeded:
      self = .code("browserNeeded", .signInRequired)
        .saying("this sign-in needs a browser, and --no-input does not allow opening one")
        .hint("leave out --no-input; --issuer URL --device signs in without a browser here")
      needsLogin = true
    case .clientIDNeeded(let issuer):
      self = .code("clientIDNeeded", .usage)
        .saying("\(issuer) needs to know the client: --client-id is missing")
        .hint(clientHint("\(issuer.url.origin)"))
    case .clientIDMissing: self = .code("clientIDNeeded", .usage).saying("--token-url needs --client-id")
    case .clientSecretNeeded(let grant, let method):
      self = .code("clientSecretNeeded", .usage)
        .saying(words(for: grant, method))
    case .clientSecretMissing(let account):
      self = .code("clientSecretMissing", .signInRequired)
        .saying("the secret or key of \(account)'s client is missing from the keyring")
        .hint("\(loginHint(account, ["--client-secret-file", "FILE"])), or with --client-key")
    case .tokenEndpointNeeded:
      self = .code("usage", .usage)
        .saying("no server is named")
        .hint("give --issuer or --token-url; a service account's file names its own")
    case .tokenRejected(let replacement, let origin):
      self = .code("signInRequired", .signInRequired)
        .saying("\(origin) answered 401: the server rejected the token of \(replacement.account)")
        .hint(remedy(for: replacement))
    case .listen(.failed(let port, let reason)):
      self = .code("listenFailed", .failed)
        .saying("can't listen on \(port.map { "port \($0)" } ?? "a free port"): \(reason)")
        .hint("choose another port")
    case .listen(.unusableSocket(let path, let reason)):
      self = .code("listenFailed", .failed).saying("can't listen at \(path): \(reason)")
    }
  }

  /// A new sign-in is needed.
  private init(signIn account: AccountName, _ reason: SignInReason) {
    let message =
      switch reason {
      case .expired: "the session of \(account) has expired"
      case .documentEnded: "the token of \(account) has expired, and a document's refresh token is not used up"
      case .ending(let reason): "the token of \(account) is no longer used: \(reason)"
      case .unrenewed: "the token of \(account) has expired, and --offline does not allow renewing it"
      case .ended(let reason): "the server has ended the session of \(account): \(reason)"
      case .certificateEnded(let reason): "\(account) can't be used: \(reason)"
      case .rejected(let rejection): "\(rejection.origin) has rejected the token of \(account)"
      case .guestOver(let reason, _): "the guest session of \(account) has expired: \(reason)"
      case .signedOut(let reason): "\(account) is signed out: \(reason)"
      case .noIDToken: "\(account) has no ID token that is still valid, and its server sends none with a renewal"
      case .idTokenNotRequested: "\(account) has no ID token: its sign-in did not request the scope openid"
      case .tokenOver(.expired, _): "the token of \(account) has expired"
      case .tokenOver(.ending(let reason), _): "the token of \(account) is not used: \(reason)"
      case .tokenOver(.missing(let reason), _): "\(account) has no token: \(reason)"
      }
    let hint =
      switch reason {
      case .unrenewed: "leave out --offline"
      case .documentEnded: "a shared keyring renews it for all jobs: see `acct keyring create --help`"
      case .guestOver(_, .some): "`\(loginLine(account))` begins a new one; it does not reset this machine's limits"
      case .tokenOver(_, let replacement): remedy(for: replacement)
      case .certificateEnded: loginHint(account, certificateOptions)
      case .idTokenNotRequested(let scope): loginHint(account, ["--scope", scope])
      case .rejected(let rejection):
        "\(loginHint(account)), or try it once more with `\(acctLine("request", rejection.origin.description))`"
      case .expired, .ending, .ended, .guestOver, .signedOut, .noIDToken: loginHint(account)
      }
    self = .code("signInRequired", .signInRequired)
      .saying(message)
      .hint(hint)
  }
}

/// The command that brings what an import lacks.
private func importHint(_ account: AccountName) -> String {
  let line = acctLine("add", "--import", "FILE", "--name", account.description)
  return "`\(line)` imports newer tokens; with an \"issuer\" member in the file it can sign in"
}

/// The redirect address that a client is registered with.
private let redirectAddress = "http://127.0.0.1/callback"

func clientHint(_ server: String) -> String {
  "register a client at \(server), with the redirect address \(redirectAddress); give its id with --client-id"
    + ", and its secret, if it has one, with --client-secret-file"
}

/// The options that a client's method or grant needs.
private func words(for grant: Grant, _ method: ClientAuthentication) -> String {
  switch (grant, method) {
  case (.jwtBearer, _): "--grant jwt-bearer needs --client-key or --assertion-file"
  case (.tokenExchange, _): "--grant token-exchange needs a token, as of --subject-token-file"
  case (_, .assertionFile): "--client-auth assertion-file needs --client-assertion-file"
  case (_, .privateKey): "--client-auth private-key needs --client-key"
  case (_, .basic), (_, .post): "--client-auth \(method.rawValue) needs --client-secret-file"
  case (_, .tls): "--client-auth tls needs --cert and --cert-key"
  case (_, .none):
    "--grant client-credentials needs --client-secret-file, --client-key, --client-assertion-file or --cert"
  }
}

/// The remedy where the client is not registered as it must be.
func registrationHint(_ code: String, _ description: String?, at server: String) -> String? {
  if ["invalid_client", "unauthorized_client"].contains(code) { return clientHint(server) }
  switch RefusedPart(rawValue: code) {
  case .scope: return "run the same command again with another --scope"
  case .resource: return "run the same command again with another --resource"
  case .client, .use, nil: break
  }
  let isRedirect = [code, description ?? ""].contains { $0.lowercased().contains("redirect") }
  return isRedirect
    ? "register \(redirectAddress) as a redirect address of the client; if the server compares ports, "
      + "http://127.0.0.1:PORT/callback, and give --redirect-port PORT; --redirect-uri gives one that is registered"
    : nil
}

private func words(for distrust: AuthorizationResponse.Distrust) -> String {
  switch distrust {
  case .issuerMissing: "it has no iss, which this server always sends"
  case .issuerMismatch: "its iss names another server"
  case .empty: "it has neither a code nor an error"
  }
}

extension ErrorMessage {
  /// An identity, or an address that it names, can't be trusted; nothing was stored.
  init(_ error: ATProtoError) {
    switch error {
    case .unresolvableHandle(let handle):
      self = .code("handleNotFound", .usage)
        .saying("handles like \(handle) are never resolved")
        .hint(
          handle.description.hasSuffix(".test")
            ? "ACCT_DNS_SERVER names a resolver that knows it" : nil
        )
    case .handleNotFound(let handle):
      self = .code("handleNotFound", .failed)
        .saying("no DID was found for the handle \(handle)")
        .hint("check its spelling; it needs a TXT record at _atproto.\(handle)")
    case .handleAmbiguous(let handle):
      self = .code("handleAmbiguous", .serverFailed).saying("two records of \(handle) name different DIDs")
    case .handleMalformed(let handle):
      self = .code("handleMalformed", .serverFailed).saying("the record of \(handle) is not a DID")
    case .handleNotConfirmed(let handle, let did):
      self = .code("handleNotConfirmed", .serverFailed)
        .saying("\(handle) points to \(did), which does not name it as its handle")
        .hint("if that is you, `acct add \(did)`")
    case .unsupportedDID(let did):
      self = .code("unsupportedDID", .usage).saying("only did:plc and did:web are supported, not \(did)")
    case .didNotFound(let did): self = .code("didNotFound", .failed).saying("there is no DID document for \(did)")
    case .documentMismatch(let did):
      self = .code("documentMismatch", .serverFailed).saying("the document of \(did) is for another DID")
    case .documentMalformed(let did):
      self = .code("documentMalformed", .serverFailed).saying("the document of \(did) is malformed")
    case .noService(let did):
      self = .code("noService", .serverFailed)
        .saying("the document of \(did) names no data server")
    case .serviceRefused(let did):
      self = .code("urlRefused", .refused)
        .saying("refused: the data server of \(did) has an address that no credential may be sent to")
    case .protectedResource(let origin, let flaw):
      self = .code(flaw.code, .serverFailed)
        .saying("\(origin) does not name its authorization server: \(words(for: flaw))")
    case .server(let origin, let member):
      self = .code("serverLacks", .serverFailed)
        .saying("\(origin) does not offer \(member)")
    case .subjectMismatch(let expected?, let found?) where (try? DID(found)) != nil:
      self = .code("subjectMismatch", .refused)
        .saying("the server signed in \(found) instead of \(expected)")
        .hint(wrongPersonHint(found, expected.description))
    case .subjectMismatch(let expected, let found):
      let who = found.map(printable) ?? "no identity"
      self = .code("subjectMismatch", .serverFailed)
        .saying(
          expected.map { "the server signed in \(who) instead of \($0)" }
            ?? "the server signed in \(who), which is not a DID"
        )
    case .scopeMissing:
      self = .code("scopeMissing", .serverFailed)
        .saying("the server did not grant the scope atproto")
    case .issuerMismatch(let did, let issuer):
      self = .code("issuerMismatch", .serverFailed)
        .saying("\(issuer) signed in \(did), whose DID document names another server")
    }
  }
}

private func words(for flaw: ATProtoError.Flaw) -> String {
  switch flaw {
  case .status(let status): "it answered \(status)"
  case .notJSON: "its answer is not JSON"
  case .malformed: "its answer is malformed"
  case .foreign: "its answer is for another server"
  }
}

extension ErrorMessage {
  /// A server that is known by name can't be used, or has no client.
  init(_ error: ProviderError) {
    switch error {
    case .unknown(let name, let known):
      let hint = didYouMean(suggested(for: name, of: known)).map { "\($0) " } ?? ""
      self = .code("unknownProvider", .usage)
        .saying("there is no provider \(printable(name))")
        .hint(hint + "`acct providers` lists them; a handle has a dot")
    case .file(let path, let flaw):
      self = .code("badProvider", .badInput)
        .saying("\(path) can't be used: \(words(for: flaw))")
        .hint("`man acct-provider` describes the file")
    case .unreadable(let path, let reason):
      self = .code("providerUnreadable", .badInput)
        .saying("\(path) is not used: \(reason ?? "it is in use")")
        .hint("only you may own or write it")
    case .place(let flaw, let usage):
      self = .code("usage", .usage)
        .saying(words(for: flaw))
        .hint("it is typed acct add \(usage)")
    case .clientNeeded(let registration):
      self = .code("clientIDNeeded", .usage)
        .saying("\(registration.title ?? "the server") needs to know the client: --client-id is missing")
        .hint(registration.hint)
    case .secretNeeded(let registration):
      self = .code("clientSecretNeeded", .usage)
        .saying("\(registration.title ?? "the server") needs the client's secret, and none is known")
        .hint(
          "give it with --client-secret-file FILE (- is standard input); it is at "
            + (registration.place ?? "the page where the client is registered")
        )
    case .appPassword(let title, let place, let origin):
      self = .code("appPassword", .usage)
        .saying("\(title) has no sign-in for programs like acct: it has app passwords")
        .hint(
          "make one\(place.map { " at \($0)" } ?? ""); on a terminal `acct add` asks for it, elsewhere give "
            + "--token FILE --basic USER\(origin.map { " --allow-origin \($0)" } ?? "")"
        )
    case .key(let error): self.init(error)
    case .notRegistered(let origin, let reason, let registration):
      self = .code("notRegistered", .serverFailed)
        .saying("\(origin) did not register acct as a client: it \(words(for: reason))")
        .hint(registration.hint)
    }
  }
}

extension ProviderError.Registration {
  /// The page to register a client at, the address to enter there, and the option for the client's identifier.
  fileprivate var hint: String {
    let device = usesDevice && typed != nil ? " and the device flow" : ""
    if let page {
      let device = usesDevice && typed != nil ? ", and allow the device flow there" : ""
      let command = typed.map { "`acct add \($0) --client-id ID`" } ?? "--client-id"
      return "register a client at \(page), whose fields are filled in\(device); give its id once, with \(command)"
    }
    let place = place.map { " at \($0)" } ?? ""
    let command = typed.map { "; once, `acct add \($0) --client-id ID`" } ?? "; give its id with --client-id"
    return "register a client\(place), with the redirect address \(redirect)\(device)\(command)"
  }
}

private func words(for flaw: ProviderFlaw) -> String {
  // A name that is not known may have any characters.
  let member = flaw.member.isEmpty ? "it" : printable(flaw.member)
  return switch flaw.problem {
  case .json(let error): words(for: error)
  case .unknownMember: "\(member) is no member of a provider"
  case .missing: "there is no \(member)"
  case .wrongType(.object): "\(member) is not an object"
  case .wrongType(.array): "\(member) is not an array"
  case .wrongType(.string): "\(member) is not a string"
  case .wrongType(.boolean): "\(member) is neither true nor false"
  case .notOneOf(let words): "\(member) is none of \(words.map { "\"\($0)\"" }.joined(separator: ", "))"
  case .tooLong(let limit): "\(member) is longer than \(limit)"
  case .unprintable: "\(member) has characters that do not show"
  case .malformed: "\(member) is malformed"
  case .refused(let refusal): "\(member): \(words(for: refusal))"
  case .foreignHost(let place): "\(member) is at another server, \(printable(place))"
  case .placeholder: "\(member) has braces where nothing can be put in"
  case .ownParameter: "\(member) is a parameter that acct sends itself"
  }
}

private func words(for flaw: ProviderPlace.Flaw) -> String {
  switch flaw {
  case .unwanted: "nothing stands behind the name of this provider"
  case .missing(let placeholders):
    "behind the name there is no "
      + ProviderAddress.Placeholder.allCases.filter(placeholders.contains).map(\.rawValue)
      .joined(separator: " and ")
  case .host(let text):
    text.contains("//")
      ? "a host stands behind the name, and no URL: \(printable(text))"
      : "not a host: \(printable(text))"
  case .name(let text): "not the name of a tenant or realm: \(printable(text))"
  }
}

/// For a browser that was signed in as another identity than the named one.
package func wrongPersonHint(_ found: String, _ asked: String) -> String {
  let found = printable(String(found.prefix { $0 != "," }))
  return
    "sign out of \(found) in the browser, then run the same command again and sign in as \(asked)"
}
