package import AcctModel
import AcctProtocol
package import Secrets
package import StrictJSON

/// A login that another program keeps.
package struct FoundLogin: Sendable {
  /// The program's word for the login's place: a host, a server, an account of its own.
  package var place: String
  /// The user at the server; `nil` if the program does not say, or if the secret stands in the user's place.
  package var user: String?
  /// The origins to which the program sends it.
  package var origins: [Origin]
  /// The path below the first origin that it is for, such as `/north/map.git`; `nil` if it is for all of it.
  package var path: String?
  /// The form in which the program sends it.
  package var form: Form
  package var secret: SecretPlace
  /// `true` if the program has users at its place, of which a command names one.
  package var isOneOfSeveral = false
  /// The line of the file where it begins; `nil` for a file whose lines say nothing.
  package var line: Int?

  /// The origins, the first with its path.
  package var places: [Place] {
    origins.enumerated().map { index, origin in Place(origin, path: index == 0 ? path ?? "" : "") }
  }

  /// The form in which a secret is sent.
  package enum Form: Equatable, Sendable {
    /// `Authorization: Basic`, with the user.
    case password
    /// `Authorization: Basic`, as the user: see ``StaticHeader/Form/userIsToken(password:)``.
    case userIsToken(password: String?)
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

/// The contents of a program's file.
package struct FoundLogins: Sendable {
  package var logins: [FoundLogin] = []
  package var skipped: [SkippedLogin] = []
  /// Every login that was added, by the account that it would become.
  private var known: [Account: (login: FoundLogin, isTaken: Bool)] = [:]

  /// Two logins that are equal in all of these would be one account.
  private struct Account: Hashable {
    var user: String?
    var place: Place?
    /// A session of its own program is one by its name alone.
    var name: String?

    init(_ login: FoundLogin) {
      (user, place) = (login.user, login.places.first)
      name = place == nil ? login.place : nil
    }
  }

  /// Adds a login; two that would be one account are both left out, unless they are the same.
  mutating func add(_ login: FoundLogin) {
    let account = Account(login)
    guard let (first, isTaken) = known[account] else {
      known[account] = (login, isTaken: true)
      logins.append(login)
      return
    }
    guard !first.isSame(as: login) else { return }
    if isTaken {
      known[account] = (first, isTaken: false)
      logins.removeAll { Account($0) == account }
      skip(first.place, .twice(at: login.name), line: first.line)
    }
    skip(login.place, .twice(at: first.name), line: login.line)
  }

  /// Adds a user and a password in the scheme Basic.
  ///
  /// - Parameters:
  ///   - user: The user; `nil` or empty for none.
  ///   - password: The password; empty for none.
  ///   - place: The origins and the path that they are for.
  ///   - name: The program's word for that.
  ///   - line: The line of the file.
  mutating func add(
    _ user: Secret?,
    _ password: Secret,
    at place: (origins: [Origin], path: String?),
    named name: String,
    line: Int?
  ) {
    let token = user.flatMap { StaticHeader.Form.tokenAsUser($0, password) }
    let form: FoundLogin.Form
    if case .userIsToken(let word)? = token?.form { form = .userIsToken(password: word) } else { form = .password }
    let text = token == nil ? user?.plainText : nil
    guard token != nil || password.count > 0 else {
      skip(name, .noSecret, line: line)
      return
    }
    guard token != nil || user == nil || text != nil else {
      skip(name, .notText, line: line)
      return
    }
    add(
      FoundLogin(
        place: name,
        user: text,
        origins: place.origins,
        path: place.path.flatMap { path in place.origins.first.map { HTTPURL($0, path: path).path } },
        form: form,
        secret: .value(token?.secret ?? password),
        line: line
      )
    )
  }

  mutating func skip(_ name: String, _ reason: SkippedLogin.Reason, line: Int? = nil) {
    skipped.append(SkippedLogin(name: name, line: line, reason: reason))
  }

  /// The logins, those alone at their origin without their path: the program sends them to all of it.
  package var withPathsThatChoose: [FoundLogin] {
    let counts = logins.reduce(into: [:]) { counts, login in counts[login.origins.first, default: 0] += 1 }
    return logins.map { login in
      var login = login
      if counts[login.origins.first] == 1 { login.path = nil }
      return login
    }
  }
}

extension FoundLogin {
  /// Returns `true` if the secret is the same; two that the program is to be asked for may differ.
  fileprivate func isSame(as other: FoundLogin) -> Bool {
    if case .value = secret { secret == other.secret } else { secret == other.secret && place == other.place }
  }

  /// Its line, or its place in a file whose lines say nothing.
  fileprivate var name: String { line.map { "line \($0)" } ?? place }
}

/// An entry of a program's file that cannot become an account.
package struct SkippedLogin: Equatable, Sendable {
  /// The program's word for its place; the line, if that is all that can be told of it.
  package let name: String
  /// The line of the file, if it says something.
  package let line: Int?
  package let reason: Reason

  package init(name: String, line: Int? = nil, reason: Reason) {
    self.name = name
    self.line = line
    self.reason = reason
  }

  package enum Reason: Equatable, Sendable {
    /// It is sent without TLS.
    case plainHTTP
    /// Its server is no host that acct can send it to.
    case address
    /// Its URL is for another scheme, such as `ssh`.
    case scheme
    /// It is for any host that has no entry.
    case anyHost
    /// It has no password.
    case noSecret
    /// It is not text in UTF-8.
    case notText
    /// Docker's `auth` is not a user and a password in base64.
    case auth
    /// It names no user, and the program takes another entry of its host, which does.
    case noUser
    /// It would be the same account as another one that is not the same.
    case twice(at: String)
    /// The program takes what comes before it, there.
    case after(String)
    /// Its line is longer than the program reads.
    case tooLong
    /// Docker keeps an identity token instead of a password, which only its registry's token server takes.
    case identityToken
    /// It is not known where cargo sends it.
    case unknownRegistry
    /// Cargo's registry has its index in a git repository, whose server need not be the one that takes the token.
    case gitIndex
    /// Cargo signs tokens with a key.
    case secretKey
    /// Its helper has a name that no program has.
    case helperName
    /// The passwords that its helper makes end within hours.
    case shortLived(helper: String)
    /// It is a session of OAuth, which one program alone can renew; a sign-in at this provider makes another.
    case oauth(provider: String)
    /// The file does not have it: its program keeps it in a keyring.
    case inKeyring(OtherProgram)
  }
}

/// Why a program's file cannot be read.
package enum MigrationFlaw: Error, Equatable, Sendable {
  /// It is not what the program writes, at this line.
  case line(Int, LineFlaw)
  /// It is not JSON; the line is `nil` for a flaw that is at none.
  case json(JSONError, line: Int?)
  /// It is no JSON object.
  case notJSON

  /// The flaw of a file that should be JSON.
  init(_ error: JSONError, in bytes: Span<UInt8>) {
    let line: Int? =
      switch error {
      case .unexpected(let offset): bytes.line(of: offset)
      case .truncated: bytes.line(of: bytes.count)
      case .notUTF8: bytes.lineOutsideUTF8
      case .tooLarge, .tooDeep, .duplicateMember: nil
      }
    self = .json(error, line: line)
  }
}

/// Why a line of another program's file is malformed.
package enum LineFlaw: Equatable, Sendable {
  /// A quoted text does not end in it.
  case quote
  /// A quoted text has an escape that the format does not have.
  case escape
  /// It has a zero byte.
  case zero
  /// A tab indents it.
  case tab
  /// It is not UTF-8.
  case encoding
  /// A key is missing or malformed.
  case key
  /// A value is missing or malformed.
  case value
  /// It sets a key that an earlier one has set.
  case repeated
  /// A character of the syntax is missing.
  case missing(Unicode.Scalar)
  /// A character of the syntax closes nothing.
  case unopened(Unicode.Scalar)
  /// Something follows a value.
  case rest
  /// A comment does not end.
  case comment
}
