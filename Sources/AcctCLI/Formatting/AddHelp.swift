import AcctConsole

/// The help of `acct add`: its sixty options by what they are for, on one screen.
///
/// ArgumentParser's own would be a list of two hundred lines in the order of the declarations.
enum AddHelp {
  /// `true` for a command line that asks for this help.
  static func isFor(_ arguments: [String]) -> Bool {
    let words = arguments.hoistingSharedOptions
    return words.starts(with: ["help", "add"])
      || words.first == "add" && words.contains { $0 == "-h" || $0.hasPrefix("--help") }
  }

  /// The help, laid out for a screen; 80 columns wide where there is none.
  static func text(on screen: Screen) -> String {
    let columns = screen.columns ?? 80
    return page.split(separator: "\n", omittingEmptySubsequences: false)
      .flatMap { lines(String($0), screen, columns) }.joined(separator: "\n")
  }

  /// The column at which an option is explained.
  private static let middle = 29

  /// One line of the page, folded: an option's words under each other, beside or below the option.
  private static func lines(_ line: String, _ screen: Screen, _ columns: Int) -> [String] {
    let shown = screen.shown(line)
    guard let gap = shown.dropFirst(2).firstRange(of: "  ") else {
      // A title, or what is to be pasted: `acct …`.
      if !shown.hasPrefix(" "), shown.hasSuffix(":") { return [screen.painted(shown, .strong)] }
      return shown.contains("acct add") ? [shown] : inside(shown, columns)
    }
    let option = String(shown[..<gap.lowerBound])
    let words = String(shown[gap.upperBound...].drop { $0 == " " })
    guard columns >= 60 else {
      return inside(option, columns) + wrapped(words, at: columns - 4).map { "    \($0)" }
    }
    let explained = wrapped(words, at: columns - middle)
    let padding = String(repeating: " ", count: middle)
    guard option.count < middle else {
      let whole = "\(option)  \(words)"
      return whole.count <= columns ? [whole] : inside(option, columns) + explained.map { padding + $0 }
    }
    let first = option + padding.dropFirst(option.count) + (explained.first ?? "")
    return [first] + explained.dropFirst().map { padding + $0 }
  }

  /// A line folded below its own beginning.
  private static func inside(_ line: String, _ columns: Int) -> [String] {
    let indent = String(line.prefix { $0 == " " })
    return wrapped(String(line.dropFirst(indent.count)), at: columns - indent.count).map { indent + $0 }
  }

  private static let page = """
    Add an account, or give new credentials to one that is there.

    usage: acct add [PROVIDER[:HOST] | HANDLE | URL] [OPTION…]
      alone, it asks; `acct providers` and `acct providers --keys` list names

    examples:
      acct add github
      acct add --issuer https://login.example --client-id ID --scope openid
      acct add --token FILE --allow-origin https://api.example

    sign-in:
      --issuer URL  an OAuth 2 server
      --backend URL [HANDLE]  a backend that hands over its tokens
      --session URL [HANDLE]  a backend that keeps the tokens itself
      --guest URL  a guest session at a backend
      --import FILE [--passphrase-file FILE]  JSON, or an export; - is stdin
      --from PROGRAM [--dry-run]  the logins of another program, or a list
      --from env [FILE] [--rewrite | --undo] [--yes]  the keys of a .env file
      --device  on another device, where you enter a code
      --browser COMMAND  open the address with this command
      --no-browser  open none: print the address, and take the callback
      --wait SECONDS  how long to wait for the browser, 600 if left out

    client:
      --client-id ID  the client's id
      --client-secret-file FILE  its secret; - is stdin
      --client-key FILE  its private key: PEM, a JWK, or a service account's
      --client-auth METHOD  basic, post, none, private-key, tls, assertion-file
      --cert, --cert-key FILE  its certificate for TLS, in PEM or a token
      --register  have the server register a new client
      --redirect-uri URI  the redirect address as it is registered
      --redirect-port PORT  the loopback port to listen on
      --callback PREFIX  where a backend's sign-in ends: limit://auth

    token:
      --scope SCOPE  the scope to ask for
      --resource URL  a server it is for; alone, it names the issuer
      --allow-origin ORIGIN  one more origin that its headers may be sent to
      --token FILE  a token or an API key that you have; - is stdin
      --header, --scheme, --basic, --query  how it is sent; --expires TIME: its end
      --key PLACE [--pin]  its DPoP key: software, tpm[:SPEC], pkcs11:URI
      --no-dpop  bearer tokens, even of a server with DPoP
      --send TOKEN  access-token, or id-token as clusters take it

    advanced:
      --grant GRANT  client-credentials, jwt-bearer, token-exchange
      --subject-token-file, --subject-token-command, --subject-account  the input
      --subject-type, --requested-type, --audience  its types and audience
      --assertion-file, --client-assertion-file  JWTs: the grant, the client
      --authorize-url, --token-url, --device-url, --revoke-url, --userinfo-url  endpoints
      --param, --token-param NAME=VALUE  one more parameter
      --replace  take older tokens, too, or for other origins
      --name NAME, --no-switch  the account's name; do not make it the active one

    `man acct-add` says more. All commands: -a NAME (--account), --json, -q (--quiet), -v (--verbose), --no-input, --no-color, --timeout SECONDS, --version, -h (--help)
    """
}
