/// The form in which a credential is sent.
package enum CredentialForm: Equatable, Sendable {
  /// `Authorization: SCHEME TOKEN`.
  case scheme(String)
  /// The token is the password of a user in the scheme Basic.
  case basic(user: String)
  /// The token is the user in the scheme Basic, beside this password; `nil`: it is both, with a colon between them.
  case userIsToken(password: String?)
  /// The token alone, in this field.
  case bare(field: String)
  /// As the value of this parameter of the URL's query.
  case query(parameter: String)
  /// Together with another line: a device id.
  case guest
  /// As a cookie.
  case cookie
  /// With a proof by a key, which is for one method and one URL.
  case bound
}

extension CredentialForm {
  /// The user of a password; `nil` for any other form.
  package var basicUser: String? {
    if case .basic(let user) = self { user } else { nil }
  }

  /// `true` if the token can be sent as a user and a password.
  package var isPassword: Bool {
    switch self {
    case .basic, .userIsToken, .scheme: true
    case .bare, .query, .guest, .cookie, .bound: false
    }
  }
}

extension Account {
  /// The form in which its credential is sent.
  package var credentialForm: CredentialForm {
    switch tokenType {
    case .dpop: .bound
    case .bearer, .none: .scheme("Bearer")
    case .session: .cookie
    case .guest: .guest
    case .static:
      switch (sentAs ?? .bearer).form {
      case .scheme(let scheme) where isInAuthorization && scheme.isHTTPToken: .scheme(scheme)
      case .basic(let user): .basic(user: user)
      case .userIsToken(let password): .userIsToken(password: password)
      case .query: .query(parameter: (sentAs ?? .bearer).field)
      case .bare, .scheme: .bare(field: (sentAs ?? .bearer).field)
      }
    }
  }

  private var isInAuthorization: Bool { (sentAs ?? .bearer).field.lowercased() == "authorization" }
}
