package import AcctModel
package import Secrets

/// A login that another program keeps.
package struct FoundLogin: Sendable {
  /// The program's word for the login's place: a host, a server, an account of its own.
  package var place: String
  /// The user at the server; `nil` if the program does not say.
  package var user: String?
  /// The origins to which the program sends it.
  package var origins: [Origin]
  /// The form in which the program sends it.
  package var form: Form
  package var secret: SecretPlace
  /// `true` if the program has users at its place, of which a command names one.
  package var isOneOfSeveral = false

  package init(place: String, user: String?, origins: [Origin], form: Form, secret: SecretPlace) {
    self.place = place
    self.user = user
    self.origins = origins
    self.form = form
    self.secret = secret
  }

  /// The form in which a secret is sent.
  package enum Form: Equatable, Sendable {
    /// `Authorization: Basic`, with the user.
    case password
    /// `Authorization: Bearer`.
    case bearer
    /// The value of `Authorization` alone.
    case bare
    /// Tokens of an OAuth server, which renew.
    case session
  }

  /// Where the secret is.
  package enum SecretPlace: Equatable, Sendable {
    case value(Secret)
    /// gh has it; `isActive`: as the user that gh uses at that host.
    case gh(isActive: Bool)
    case glab
    /// A credential helper of docker's has it, and may be the only one that knows the user.
    case dockerHelper(String)
    case oidcAgent
  }
}

/// What a program's file contains.
package struct FoundLogins: Sendable {
  package var logins: [FoundLogin] = []
  package var skipped: [SkippedLogin] = []
  private var known: Set<String> = []

  package init() {}

  /// Adds a login, unless one of the same user and server was there before: programs use the first.
  mutating func add(_ login: FoundLogin) {
    guard known.insert("\(login.user ?? "")\0\(login.place)\0\(login.origins.first?.description ?? "")").inserted else {
      return
    }
    logins.append(login)
  }

  mutating func skip(_ name: String, _ reason: SkippedLogin.Reason) {
    skipped.append(SkippedLogin(name: name, reason: reason))
  }
}

/// An entry of a program's file that cannot become an account.
package struct SkippedLogin: Equatable, Sendable {
  /// The server, or the line.
  package let name: String
  package let reason: Reason

  package init(name: String, reason: Reason) {
    self.name = name
    self.reason = reason
  }

  package enum Reason: Equatable, Sendable {
    /// It is sent without TLS.
    case plainHTTP
    /// Its server is no host that acct can send it to.
    case address
    /// It is for any host that has no entry.
    case anyHost
    /// It has no password.
    case noSecret
    /// It is not text in UTF-8.
    case notText
    /// Docker keeps an identity token instead of a password, which only its registry's token server takes.
    case identityToken
    /// It is not known where cargo sends it.
    case unknownRegistry
    /// Its helper has a name that no program has.
    case helperName
    /// The passwords that its helper makes end within hours.
    case shortLived(helper: String)
    /// It is a session of OAuth, which one program alone can renew; a sign-in at this provider makes another.
    case oauth(provider: String)
    /// The file does not have it: its program keeps it in a keyring.
    case inKeyring
  }
}

/// Why a program's file cannot be read.
package enum MigrationFlaw: Error, Equatable, Sendable {
  /// It is not what the program writes, at this line.
  case line(Int)
  /// It is no JSON object.
  case notJSON
}
