import AcctEngine
package import AcctModel
import AcctProtocol

/// The command line that adds an account like this one.
func addLine(_ account: Account) -> String? {
  place(of: account).map { acctLine(["add"] + $0 + option("--scope", account.signIn?.scope)) }
}

/// The command line that signs in to an account's server again for one resource alone.
///
/// - Returns: `nil` where nothing tells how the account was signed in.
func signInLine(_ account: Account, for resource: ResourceIndicator) -> String? {
  var account = account
  account.resources = [resource]
  guard let place = place(of: account) else { return nil }
  return acctLine(["add"] + place + option("--scope", scope(of: account, adding: [])))
}

/// The arguments for the server at which the account signs in, and for its client.
package func place(of account: Account) -> [String]? {
  let person = account.handle?.description ?? account.did?.description
  if let backend = account.source?.backend {
    let option = account.kind == .session ? "--session" : "--backend"
    return [option, account.signIn?.backend ?? backend.description] + [person].compactMap(\.self)
      + AcctConsole.option("--callback", account.signIn?.callback) + redirect(account.signIn)
  }
  if account.did != nil, let person {
    // A client that has no document of its own is acct's usual one.
    let clientID = account.identity.clientID.flatMap { $0.hasPrefix("http://localhost") ? nil : $0 }
    return [person] + option("--client-id", clientID) + redirect(account.signIn)
  }
  var words: [String] = []
  if let provider = account.client.provider {
    words.append(provider)
  } else if account.issuerSource != .resource || account.client.hasSecret {
    words += option("--issuer", account.identity.issuer?.description)
  }
  for resource in account.resources { words += ["--resource", resource.description] }
  for name in EndpointName.allCases {
    if let option = name.option, let url = account.client.endpoints[name] { words += [option, url.description] }
  }
  guard !words.isEmpty else { return nil }
  // A client that the server registered has no identifier or secret that the user could know.
  let clientID = account.client.isRegistered ? nil : account.identity.clientID
  words += option("--client-id", clientID) + settings(account.client) + redirect(account.signIn)
  return words + (account.signIn?.usesDevice == true ? ["--device"] : [])
}

/// The options for where a sign-in in the browser ends.
private func redirect(_ settings: SignInSettings?) -> [String] {
  option("--redirect-uri", settings?.redirect?.registered)
    + option("--redirect-port", settings?.redirect == nil ? settings?.redirectPort.map { "\($0)" } : nil)
}

/// The options for the client's requests to its server; the user adds the path of a secret's file.
private func settings(_ client: ClientSettings) -> [String] {
  var words: [String] = []
  switch client.grant {
  case .authorizationCode: break
  case .clientCredentials: words += ["--grant", "client-credentials"]
  case .jwtBearer: words += ["--grant", "jwt-bearer"]
  case .tokenExchange: words += ["--grant", "token-exchange"]
  }
  let isExchange = client.grant == .tokenExchange
  switch client.inputs.grantToken {
  case .file(let path): words += [isExchange ? "--subject-token-file" : "--assertion-file", path]
  case .program(let line): words += ["--subject-token-command", line.shown]
  case .account(let id): words += ["--subject-account", id.description]
  case nil: break
  }
  words += option("--subject-type", client.inputs.subjectType?.text)
  words += option("--requested-type", client.inputs.requestedType?.text)
  for audience in client.inputs.audiences { words += ["--audience", audience] }
  words += option("--client-assertion-file", client.inputs.clientAssertion)
  switch client.isRegistered ? nil : client.authentication {
  case .basic?, .post?: words += ["--client-secret-file", "FILE"]
  case .privateKey?: words += ["--client-key", "FILE"]
  case .tls?, .assertionFile?, nil, ClientAuthentication.none?: break
  }
  if client.certificate != nil { words += certificateOptions }
  if !client.usesDPoP { words.append("--no-dpop") }
  return words + client.tokenParameters.flatMap { ["--token-param", "\($0.name)=\($0.value)"] }
}

package func option(_ name: String, _ value: String?) -> [String] { value.map { [name, $0] } ?? [] }

extension ProgramLine {
  /// The line as a person would type it.
  var shown: String { words.map(shellWord).joined(separator: " ") }
}

extension ClientSettings {
  /// `true` if the client proves itself with a secret or a key, which needs a server that the user names.
  fileprivate var hasSecret: Bool {
    switch authentication {
    case .basic?, .post?, .privateKey?, .tls?, .assertionFile?: true
    case nil, ClientAuthentication.none?: false
    }
  }
}

extension EndpointName {
  /// The option that gives it.
  fileprivate var option: String? {
    switch self {
    case .authorization: "--authorize-url"
    case .token: "--token-url"
    case .deviceAuthorization: "--device-url"
    case .revocation: "--revoke-url"
    case .userinfo: "--userinfo-url"
    case .registration: nil
    }
  }
}

/// The scopes that the account asked for, else those that it was granted, followed by the missing ones.
package func scope(of account: Account, adding more: [String]) -> String? {
  let words = (Scope.words(account.signIn?.scope ?? account.scope) + more).filter(Scope.isWellFormed)
  let each = words.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
  return each.isEmpty ? nil : each.joined(separator: " ")
}

/// The command that signs in to an account again, to be copied into a shell.
///
/// - Parameters:
///   - account: The account; `nil` for the selected one.
///   - options: What is different this time.
/// - Returns: The line, quoted where a shell would read more into it.
package func loginLine(_ account: AccountName?, _ options: [String] = []) -> String {
  acctLine(["login"] + [account?.description].compactMap(\.self) + options)
}

/// The options that give a client's certificate and key.
package let certificateOptions = ["--cert", "FILE", "--cert-key", "FILE"]

/// The hint to sign in to an account again.
package func loginHint(_ account: AccountName?, _ options: [String] = []) -> String {
  "sign in again with `\(loginLine(account, options))`"
}

extension Account {
  /// The options of `acct login` that its sign-in has a use for.
  package var loginOptions: [String] {
    switch kind {
    case .static: ["--token"]
    case .session: ["--end-former"]
    case .guest: []
    case .oauth where source?.backend != nil: ["--client-id", "--end-former"]
    case .oauth where did != nil: ["--scope", "--client-id", "--key", "--end-former"]
    // What the client proves itself with goes to no server that only the resource names.
    case .oauth where issuerSource == .resource:
      ["--scope", "--device", "--param", "--client-id", "--key", "--no-dpop", "--end-former"]
        + (client.isRegistered ? ["--register"] : [])
    case .oauth:
      [
        "--scope", "--device", "--param", "--client-id", "--client-secret-file", "--client-key", "--cert", "--no-dpop",
        "--end-former",
      ] + (client.usesDPoP ? ["--key"] : []) + (client.isRegistered ? ["--register"] : [])
    }
  }

  /// The command that signs in to it for bearer tokens; `nil` where its tokens are bound by its protocol, or by no key.
  var bearerLine: String? {
    guard tokenType == .dpop, loginOptions.contains("--no-dpop") else { return nil }
    return loginLine(name, ["--no-dpop"])
  }
}

/// A command line of acct's, to be copied into a shell.
package func acctLine(_ words: [String]) -> String { (["acct"] + words).map(shellWord).joined(separator: " ") }

package func acctLine(_ words: String...) -> String { acctLine(words) }

/// A word as a POSIX shell reads it, with control characters escaped for the terminal: such a word can't be copied, and
/// was never entered.
package func shellWord(_ word: String) -> String { OutputFormat.shellWord.shown(word) }
