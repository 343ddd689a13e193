import AcctEngine
import AcctModel
import AcctProtocol

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
}

extension RequestRefusal {
  /// What leads on where a second token is refused: one that the user requested, or that a resource of the account needs.
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
