import AcctProtocol
package import AcctModel
package import Secrets
package import Release

/// A credential that a program may have.
package struct HelperCredential: Sendable {
  /// The URL that it is for; `nil` where the program named none.
  package var url: HTTPURL?
  /// The path of the account's place that the URL is in; empty for the whole origin.
  package var path: String
  /// The header lines of a GET of that URL, in their order.
  package var fields: [HeaderField]
  /// The token alone.
  package var token: Secret
  package var form: CredentialForm
  /// When the token ends; `nil` where that is not known.
  package var expiresAt: Timestamp?
  /// The time of the answer.
  package var now: Timestamp

  package init(
    _ url: HTTPURL?,
    below path: String = "",
    fields: [HeaderField],
    token: Secret,
    form: CredentialForm,
    expiresAt: Timestamp?,
    now: Timestamp
  ) {
    self.url = url
    self.path = path
    self.fields = fields
    self.token = token
    self.form = form
    self.expiresAt = expiresAt
    self.now = now
  }
}

/// A password that is kept for a program.
package struct HelperListing: Equatable, Sendable {
  package var places: [Place]
  package var user: String
}

extension HelperCredential {
  /// A user name and a password, where the token can be sent so.
  ///
  /// Many servers take a token as the password in the scheme Basic, beside a name that most of them
  /// ignore.
  ///
  /// - Parameter wanted: The user that the program names.
  /// - Returns: `nil` where the token is no password.
  package func login(_ wanted: String?) -> (user: Secret, password: Secret)? {
    switch form {
    case .basic(let user): return (Secret(user), token)
    case .userIsToken(let password?): return (token, Secret(password))
    case .userIsToken(nil):
      return token.withBytes { bytes in
        guard let colon = bytes.first(":", in: 0..<bytes.count) else { return nil }
        return (bytes.secret(0..<colon), bytes.secret(colon + 1..<bytes.count))
      }
    case .scheme: return (Secret(wanted ?? url?.origin.tokenUser ?? "oauth2"), token)
    case .bare, .query, .guest, .cookie, .bound: return nil
    }
  }
}

extension Origin {
  /// The name beside a token that is sent as a password.
  ///
  /// Two servers prescribe one; GitLab wants `oauth2`, which others accept as they do any name.
  fileprivate var tokenUser: String {
    if host == "bitbucket.org" { return "x-token-auth" }
    let isGoogles = ["gcr.io", "pkg.dev"].contains { host == $0 || host.hasSuffix(".\($0)") }
    return isGoogles ? "oauth2accesstoken" : "oauth2"
  }
}

extension CredentialForm {
  /// `true` for a token that is sent with the scheme Bearer.
  var isBearer: Bool { if case .scheme(let scheme) = self { scheme.lowercased() == "bearer" } else { false } }
}
