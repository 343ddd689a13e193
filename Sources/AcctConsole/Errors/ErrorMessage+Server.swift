import AcctEngine
import AcctModel
import AcctPorts
package import AcctProtocol

extension ErrorMessage {
  /// A server's answer is not the requested one; the credentials are unchanged.
  init(_ error: ServerError) {
    switch error {
    case .oauth(let error, let origin):
      self = .code(error.code, error.refusesClient ? .signInRequired : .serverFailed)
        .saying("\(origin) \(words(for: error))")
        .hint(error.hint(origin))
      // Some servers reject a dead session without a reason. That is no proof, so the account stays; the user may know
      // better.
      if case .unexplained = error { needsLogin = true }
    case .renewalUnread(let error, let origin):
      self = .code(error.code, .serverFailed)
        .saying("\(origin) \(words(for: error))")
        .hint("the stored session is kept; try again later to find out whether the server has replaced it")
    case .resource(let flaw, let origin): self.init(flaw, origin)
    case .otherUser(let other, let origin):
      self = .code("otherUser", .serverFailed)
        .saying(words(for: other, origin))
        .hint(other.place == .renewal ? "none of the new tokens was stored" : nil)
      needsLogin = other.place == .renewal
    case .rateLimited(let retryAfter, let origin):
      self = .code("rateLimited", .rateLimited)
        .saying("\(origin) reports too many requests")
        .retryAfter(retryAfter)
    case .failed(let status, let retryAfter, let origin):
      self = .code("serverFailed", .serverFailed)
        .saying("\(origin) failed with \(status)")
        .hint(retryAfter == nil ? laterHint : nothingWrongHint)
        .retryAfter(retryAfter)
    case .signInFailed(let status, let retryAfter, let origin):
      self = .code("serverFailed", .serverFailed)
        .saying("\(origin) failed with \(status)")
        .hint("no account was stored" + (retryAfter == nil ? "; run the same command again later" : ""))
        .retryAfter(retryAfter)
    case .renewalFailed(let status, let retryAfter, let origin):
      self = .code("serverFailed", .serverFailed)
        .saying("\(origin) failed with \(status) during a renewal")
        .hint(
          retryAfter == nil
            ? "the stored session is kept; try again later to find out whether the server has replaced it"
            : "the stored session is kept; the next try finds out whether the server has replaced it"
        )
        .retryAfter(retryAfter)
    }
  }
}

/// For a server that fails, and says when to try again.
package let nothingWrongHint = "nothing was wrong with the account"
/// For a server that fails, and doesn't say so.
package let laterHint = nothingWrongHint + "; try again later"

extension OAuthError {
  /// `true` if the server refuses the client or the scope, which a repetition does not change.
  fileprivate var refusesClient: Bool {
    guard case .refused(let code, _, _) = self else { return false }
    return switch RefusedPart(rawValue: code) {
    case .client, .use, .scope: true
    case .resource, nil: false
    }
  }

  fileprivate func hint(_ origin: Origin) -> String? {
    switch self {
    case .unexplained: "it may work later"
    case .refused(let code, let description, _): registrationHint(code, description, at: "\(origin)")
    case .idToken(.expired), .idToken(.issuedLater): "`acct doctor` checks this machine's clock"
    case .noMetadata:
      "a server without metadata is named by its addresses: --token-url URL --authorize-url URL, and "
        + "--client-auth post where it takes the secret in the form"
    case .unsupported(.deviceCode):
      "--device-url URL names its device endpoint; without --device acct opens a browser"
    case .metadata, .unsupported, .notJSON, .malformedAnswer, .userUnnamed, .tokenType, .idToken, .redirected: nil
    }
  }
}

package func words(for error: OAuthError) -> String {
  switch error {
  case .noMetadata(let status): "has no OAuth metadata (it answered \(status))"
  case .metadata(let flaw): "has metadata that can't be used: \(words(for: flaw))"
  case .unsupported(let feature): "does not offer \(words(for: feature))"
  case .notJSON(let status): "answered \(status) with a body that is not JSON"
  case .malformedAnswer(let member): "sent an answer with a bad \(member)"
  case .userUnnamed(let member, let statement): "sent \(article(statement)) without \(member)"
  case .refused(let code, let description, let status):
    "refused (\(status)): " + [code, description].compactMap(\.self).map(printable).joined(separator: ": ")
  case .unexplained(let status): "answered \(status) without a reason"
  case .tokenType(let type): "sent a token of type \(printable(type)), which was not requested"
  case .idToken(let flaw): "sent an ID token that was rejected: \(words(for: flaw))"
  case .redirected(let location):
    "redirects \(location.map { "to \(printable($0)) " } ?? "")where credentials are not sent"
  }
}

private func article(_ statement: OAuthError.Statement) -> String {
  switch statement {
  case .userinfo: "a userinfo"
  case .introspection: "an introspection"
  }
}

private func words(for other: OtherUser, _ origin: Origin) -> String {
  let users = "\(printable(other.found)) instead of \(printable(other.expected))"
  return switch other.place {
  case .renewal: "\(origin) renewed the tokens for \(users)"
  case .userinfo: "the userinfo of \(origin) is about \(users)"
  }
}

package func words(for flaw: IDToken.Flaw) -> String {
  switch flaw {
  case .unreadable: "it can't be read"
  case .unsigned: "it is not signed"
  case .issuer: "it is from another issuer"
  case .subject: "it is about another user"
  case .audience: "it is for another client"
  case .authorizedParty: "its azp does not name this client"
  case .nonceMissing: "it is not the answer to this sign-in: it has no nonce"
  case .nonceMismatch: "it is not the answer to this sign-in: its nonce differs"
  case .expired: "it has expired"
  case .endMissing: "it has no exp"
  case .issueTimeMissing: "it has no iat"
  case .issuedLater: "it was issued in the future"
  }
}

private func words(for flaw: OAuthError.MetadataFlaw) -> String {
  switch flaw {
  case .notJSON: "it is not JSON"
  case .issuer(let expected, let found?): "it names the issuer \(printable(found)) instead of \(expected)"
  case .issuer(let expected, nil): "it does not name the issuer \(expected)"
  case .missing(let member): "there is no \(member)"
  case .malformed(let member): "\(member) is malformed"
  case .refused(let member, _): "\(member) is a URL that no credential may be sent to"
  }
}

private func words(for feature: OAuthError.Feature) -> String {
  switch feature {
  case .authorizationCode: "sign-in with a browser"
  case .deviceCode: "the device flow"
  case .codeChallengeS256: "PKCE with S256"
  case .dpopES256: "DPoP with ES256"
  }
}

// The exact check that failed lets a script tell an attack from a server that is set up badly, so
// each has a code of its own.

extension OAuthError {
  /// The code of the error.
  var code: String {
    switch self {
    case .noMetadata: "noMetadata"
    case .metadata(.notJSON): "metadataNotJSON"
    case .metadata(.issuer): "metadataIssuer"
    case .metadata(.refused): "endpointRefused"
    case .metadata(.missing), .metadata(.malformed): "metadataMalformed"
    case .tokenType: "tokenType"
    case .idToken: "idToken"
    case .unsupported, .notJSON, .malformedAnswer, .userUnnamed, .refused, .unexplained, .redirected: "serverAnswer"
    }
  }
}

extension AuthorizationResponse.Distrust {
  /// The code of the error.
  var code: String {
    switch self {
    case .issuerMissing: "callbackIssuerMissing"
    case .issuerMismatch: "callbackIssuer"
    case .empty: "callbackEmpty"
    }
  }
}

extension ATProtoError.Flaw {
  /// The code of the error about a data server's metadata.
  var code: String {
    switch self {
    case .status: "noResourceMetadata"
    case .notJSON: "resourceMetadataNotJSON"
    case .malformed: "resourceMetadataMalformed"
    case .foreign: "resourceMetadataForeign"
    }
  }
}

extension ErrorMessage {
  /// A server refuses the client, the scope or the resource; only the user can change them.
  init(_ refusal: RequestRefusal) {
    let status = refusal.status.map { " (\($0))" } ?? ""
    self = .code(refusal.code, .signInRequired)
      .saying("\(refusal.origin) \(refusal.words)\(status): \(printable(refusal.reason))")
      .hint(refusal.asked.account.map { refusal.hint(for: $0) } ?? refusal.signInHint)
  }
}

extension RequestRefusal {
  /// The code for scripts.
  fileprivate var code: String {
    switch part {
    case .client, .use: "clientRefused"
    case .scope: "scopeRefused"
    case .resource: "resourceRefused"
    }
  }

  fileprivate var words: String {
    let client = asked.clientID.map { " \(shellWord(printable($0)))" } ?? ""
    let scope = asked.scope.map { " \(shellWord(printable($0)))" } ?? " that was requested"
    let targets = asked.targets.map(printable).joined(separator: " ")
    return switch part {
    case .client: "does not accept the client\(client)"
    case .use: "does not allow this to the client\(client)"
    case .scope: "does not grant the scope\(scope)"
    case .resource: "issues no token for \(targets.isEmpty ? "what was requested" : targets)"
    }
  }

  /// The other way to send a secret, which is not tried unasked: a failed authentication counts against the client.
  private var otherWay: String {
    switch asked.method {
    case .basic: "; if the server takes the secret in the form, add --client-auth post"
    case .post: "; if the server takes the secret by Basic, add --client-auth basic"
    case .none, .privateKey, .tls, .assertionFile: ""
    }
  }

  /// The change to make in the command line of a sign-in.
  fileprivate var signInHint: String {
    switch part {
    case .client where asked.method == .privateKey:
      "check --client-id and --client-key; the server must have the public key of this client"
    case .client where asked.method == .tls:
      "check --client-id and --cert; the server must know the certificate, or its subject, as this client's"
    case .client where asked.method == .assertionFile:
      "check --client-id and --client-assertion-file; the server must trust the issuer of its token"
    case .client where asked.method != .none: "check --client-id and the secret in --client-secret-file\(otherWay)"
    case .client, .use: clientHint("\(origin)")
    case .scope: "run the same command again with another --scope"
    case .resource where asked.targets.count > 1:
      "run the same command again with another --resource, or with one alone"
    case .resource: "run the same command again with another --resource"
    }
  }

  /// The command that changes it for an account.
  fileprivate func hint(for account: Account) -> String {
    switch part {
    case .scope where asked.isSecondToken: return "name another --scope"
    case .resource where asked.isSecondToken, .use where asked.isSecondToken && asked.isRegistered:
      return secondTokenHint(for: account)
    case .client, .use, .scope, .resource: break
    }
    let fitting = account.loginOptions
    switch part {
    // No one has an identifier for that server: acct registers another client there.
    case .client where asked.isRegistered, .use where asked.isRegistered: return loginHint(account.name)
    case .client, .use:
      guard fitting.contains("--client-id") else { return loginHint(account.name) }
      let secret = part == .client ? asked.secretOption.filter { fitting.contains($0) || $0 == "FILE" } : []
      let client = ["--client-id", "ID"] + (secret.count == 2 ? secret : [])
      return
        "to sign in with another client, run `\(loginLine(account.name, client))`\(part == .client ? otherWay : "")"
    case .scope:
      guard fitting.contains("--scope") else { return loginHint(account.name) }
      let line = loginLine(account.name, ["--scope", ""])
      return "to sign in with the server's usual scope, run `\(line)`; or name another --scope"
    case .resource: break
    }
    var account = account
    account.resources = []
    guard let line = addLine(account) else { return loginHint(account.name) }
    return "to sign in for no resource, run `\(line)`; or name another --resource"
  }

  /// The hint where a second token is refused: one that the user requested, or that a resource of the account needs.
  private func secondTokenHint(for account: Account) -> String {
    guard let resource = account.resources.first(where: { [$0.description] == asked.targets }),
      let line = signInLine(account, for: resource)
    else { return "name another --audience" }
    // The server speaks as of a session that has ended.
    let doubt =
      "; `\(acctLine("refresh", account.name.description, "--force"))` shows whether the session is still valid"
    return "to sign in for it alone, run `\(line)`\(endCode == nil ? "" : doubt)"
  }
}

extension RequestRefusal.Asked {
  /// The option for what the client authenticates itself with.
  fileprivate var secretOption: [String] {
    switch method {
    case .basic, .post: ["--client-secret-file", "FILE"]
    case .privateKey: ["--client-key", "FILE"]
    case .tls: certificateOptions
    case .assertionFile: ["--client-assertion-file", "FILE"]
    case .none: []
    }
  }
}

extension ErrorMessage {
  /// A resource server does not lead to an authorization server.
  init(_ flaw: ResourceFlaw, _ origin: Origin) {
    switch flaw {
    case .noMetadata(let status):
      self = .code("noResourceMetadata", .serverFailed)
        .saying("\(origin) does not say which server signs in to it (it answered \(status))")
        .hint(issuerHint)
    case .challenge(let parameter):
      self = .code("resourceChallenge", .serverFailed)
        .saying("\(origin) asks for a sign-in with a bad \(parameter)")
        .hint(parameter == "scope" ? nil : issuerHint)
    case .resource(let expected, let found?):
      self = .code("resourceMetadataForeign", .serverFailed)
        .saying("\(origin) describes the resource \(printable(found)) instead of \(printable(expected))")
        .hint("give --resource exactly as the server writes it, if you trust that resource")
    case .resource(let expected, nil):
      self = .code("resourceMetadataForeign", .serverFailed)
        .saying("\(origin) does not describe the resource \(printable(expected))")
        .hint(issuerHint)
    case .malformed(let member):
      self = .code("resourceMetadataMalformed", .serverFailed)
        .saying("\(origin) describes itself with a bad \(member)")
        .hint(issuerHint)
    case .refused(let member, _):
      self = .code("resourceMetadataMalformed", .serverFailed)
        .saying("\(origin) names in \(member) a URL that no credential may be sent to")
    case .noServer:
      self = .code("resourceMetadataMalformed", .serverFailed)
        .saying("\(origin) names no server that signs in to it")
        .hint(issuerHint)
    case .severalServers(let issuers):
      self = .code("severalIssuers", .usage)
        .saying("\(origin) trusts several servers: \(issuers.map(printable).joined(separator: ", "))")
        .hint("choose one with --issuer, beside --resource")
    case .signInElsewhere(let elsewhere):
      self = .code("issuerElsewhere", .serverFailed)
        .saying("\(origin), which the resource names, signs in at \(elsewhere), and does not mark its answers")
        .hint("if you trust \(origin), name it with --issuer, beside --resource")
    }
  }
}

private let issuerHint = "--issuer URL, beside --resource, names the server to sign in at"
