import AcctModel

/// The command that signs in to an account again, to be copied into a shell.
///
/// - Parameters:
///   - account: The account; `nil` for the selected one.
///   - options: What is different this time.
/// - Returns: The line, quoted where a shell would read more into it.
func loginLine(_ account: AccountName?, _ options: [String] = []) -> String {
  (["acct", "login"] + [account?.description].compactMap(\.self) + options).map(shellWord).joined(separator: " ")
}

/// The options that give a client's certificate and key.
let certificateOptions = ["--cert", "FILE", "--cert-key", "FILE"]

/// The hint to sign in to an account again.
func loginHint(_ account: AccountName?, _ options: [String] = []) -> String {
  "sign in again with `\(loginLine(account, options))`"
}
