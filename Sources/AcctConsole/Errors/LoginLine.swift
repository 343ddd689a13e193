import AcctEngine
package import AcctModel

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
    case .session, .guest: []
    case .oauth where source?.backend != nil: ["--client-id"]
    case .oauth where did != nil: ["--scope", "--client-id", "--key"]
    // What the client proves itself with goes to no server that only the resource names.
    case .oauth where issuerSource == .resource:
      ["--scope", "--device", "--param", "--client-id", "--key", "--no-dpop"]
        + (client.isRegistered ? ["--register"] : [])
    case .oauth:
      ["--scope", "--device", "--param", "--client-id", "--client-secret-file", "--client-key", "--cert", "--no-dpop"]
        + (client.usesDPoP ? ["--key"] : []) + (client.isRegistered ? ["--register"] : [])
    }
  }

  /// The command that signs in to it for bearer tokens; `nil` where its tokens are bound by its protocol, or by no key.
  var bearerLine: String? {
    guard tokenType == .dpop, loginOptions.contains("--no-dpop") else { return nil }
    return loginLine(name, ["--no-dpop"])
  }
}
