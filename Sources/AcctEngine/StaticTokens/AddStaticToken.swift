package import AcctModel
package import Secrets
import AcctPorts
import AcctProtocol
import Release

/// Adds a token that has no sign-in, from a file or from standard input.
package struct AddStaticToken: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// The most bytes of a file: more than any server accepts on a header line.
  private static let limit = 1 << 16

  /// The user's request.
  package struct Request: Sendable {
    /// The file that contains the token; `-` is standard input.
    package var file: String
    package var sentAs: StaticHeader
    /// Its expiry: RFC 3339, a date, which counts to the end of that day in UTC, or a time from now (`90d`).
    package var expiry: String?
    /// The origins to which it may be sent, with the places by which its account is chosen.
    package var origins: [Place]
    /// The provider whose key it is, as it was typed.
    package var provider: String?

    package init(file: String, sentAs: StaticHeader, expiry: String?, origins: [Place], provider: String? = nil) {
      self.file = file
      self.sentAs = sentAs
      self.expiry = expiry
      self.origins = origins
      self.provider = provider
    }
  }

  /// Reads the token, and its own claims.
  ///
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``InputError/staticToken(_:)``, ``InputError/stream(_:)``.
  package func credentials(_ request: Request) throws(EngineError) -> NewCredentials {
    guard !request.origins.isEmpty else { throw .input(.staticToken(.noOrigin)) }
    let given = try request.expiry.map { text throws(EngineError) in try end(text) }
    return try credentials(token(contents(of: request.file), of: request.file, request.sentAs), request, end: given)
  }

  /// Takes a key that was read from the request's file, or that the person at the terminal has typed.
  ///
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``InputError/staticToken(_:)``.
  package func credentials(key: Secret, _ request: Request) throws(EngineError) -> NewCredentials {
    let given = try request.expiry.map { text throws(EngineError) in try end(text) }
    return try credentials(token(key, of: request.file, request.sentAs), request, end: given)
  }

  /// Takes a token that the person at the terminal has typed.
  ///
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``InputError/staticToken(_:)``.
  package func credentials(typed: Secret, _ request: Request) throws(EngineError) -> NewCredentials {
    guard !request.origins.isEmpty else { throw .input(.staticToken(.noOrigin)) }
    return try credentials(taken: typed, request.sentAs, request.origins)
  }

  /// Takes a new token for an account that has one, from a file or from the person at the terminal.
  ///
  /// - Parameters:
  ///   - account: The account, whose form and origins stay.
  ///   - file: The file that contains the token; `nil` to ask for it.
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``InputError/staticToken(_:)``, ``InputError/stream(_:)``; ``SignInError/tokenNeeded(account:)`` without a
  ///   terminal; ``EngineError/cancelled``.
  package func credentials(for account: Account, from file: String?) throws(EngineError) -> NewCredentials {
    guard let sentAs = account.sentAs else { throw .signIn(.tokenNeeded(account: account.name)) }
    let request = Request(
      file: file ?? "-",
      sentAs: sentAs,
      expiry: nil,
      origins: account.origins.places,
      provider: account.client.provider
    )
    // A key for commands alone has no origin.
    if let file { return try credentials(token(contents(of: file), of: file, sentAs), request, end: nil) }
    guard context.interaction == .allowed, context.world.terminal.canAsk() else {
      throw .signIn(.tokenNeeded(account: account.name))
    }
    guard let typed = context.world.terminal.askSecretUntilTyped(context.words(.token(account: account.name))) else {
      throw .cancelled
    }
    return try credentials(token(typed, of: nil, sentAs), request, end: nil)
  }

  /// Takes the password of a program's login.
  ///
  /// - Parameters:
  ///   - secret: The password; a line break at the end is not part of it.
  ///   - sentAs: The field and form in which it is sent.
  ///   - origins: The origins to which it may be sent, with places.
  ///   - program: The program.
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``InputError/staticToken(_:)``.
  package func login(
    _ secret: Secret,
    _ sentAs: StaticHeader,
    _ origins: [Place],
    of program: Account.KeepingProgram
  ) throws(EngineError) -> NewCredentials {
    var credentials = try credentials(taken: secret, sentAs, origins)
    credentials.keptFor = program
    return credentials
  }

  /// Takes a token or a password that another program had.
  ///
  /// - Parameters:
  ///   - secret: The token or the password; a line break at the end is not part of it.
  ///   - sentAs: The field and form in which it is sent.
  ///   - origins: The origins to which it may be sent, with places.
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``InputError/staticToken(_:)``.
  package func credentials(
    taken secret: Secret,
    _ sentAs: StaticHeader,
    _ origins: [Place]
  ) throws(EngineError) -> NewCredentials {
    let request = Request(file: "-", sentAs: sentAs, expiry: nil, origins: origins)
    return try credentials(token(secret, of: nil, sentAs), request, end: nil)
  }

  private func credentials(
    _ token: Token,
    _ request: Request,
    end given: Timestamp?
  ) throws(EngineError) -> NewCredentials {
    var (token, sentAs) = (token, request.sentAs)
    if case .basic(let user) = sentAs.form,
      let login = StaticHeader.Form.tokenAsUser(Secret(user), token.opened(for: .comparison))
    {
      do throws(StaticHeaderFlaw) { sentAs = try StaticHeader(field: sentAs.field, form: login.form) } catch {
        throw .input(.staticToken(.header(error)))
      }
      token = try self.token(login.secret, of: request.file, sentAs)
    }
    context.world.held.hold(token)
    let claims = Self.claims(of: token)
    guard claims?.confirmationThumbprint == nil else { throw .input(.staticToken(.boundToKey)) }
    return NewCredentials(
      kind: .static,
      tokenType: .static,
      identity: Identity(subject: nil, issuer: nil, clientID: nil),
      source: .user,
      // They are this token's: the next one under its name must not be sent there unless it is given for them.
      origins: OwnOrigins(places: request.origins, for: .signIn),
      client: request.provider.map { ClientSettings(provider: $0) } ?? .standard,
      tokenLifetime: TokenLifetime(expiresAt: given ?? claims?.expiry, canRenew: false),
      sentAs: sentAs,
      token: token
    )
  }

  private func end(_ text: String) throws(EngineError) -> Timestamp {
    let now = context.world.clock.now()
    let span = Int64(span: text).map(now.adding(seconds:))
    guard let end = span ?? (try? Timestamp(text)) ?? (try? Timestamp("\(text)T23:59:59Z")) else {
      throw .input(.staticToken(.expiry(text, isPast: false)))
    }
    guard end > now else { throw .input(.staticToken(.expiry(text, isPast: true))) }
    return end
  }

  /// Reads a file of the user's own, or standard input.
  ///
  /// - Throws: ``InputError/staticToken(_:)``, ``InputError/stream(_:)``.
  package func contents(of file: String) throws(EngineError) -> Secret {
    guard file == "-" else {
      do { return try context.world.secretFiles.read(file, Self.limit, .input) } catch {
        throw .input(.staticToken(.file(error)))
      }
    }
    do { return try context.world.streams.input(file, Self.limit) } catch { throw .input(.stream(error)) }
  }

  /// Parses the token; its file is `nil` if a program gave it.
  private func token(_ contents: Secret, of file: String?, _ sentAs: StaticHeader) throws(EngineError) -> Token {
    switch sentAs.form {
    case .basic, .userIsToken:
      do { return try TokenFile.password(in: contents) } catch {
        throw .input(.staticToken(.password(error, file: file)))
      }
    case .bare, .scheme, .query:
      do { return try TokenFile.token(in: contents) } catch {
        throw .input(.staticToken(.contents(error, file: file ?? "-")))
      }
    }
  }

  /// The claims of a token that is a JWT; one that only looks like a JWT is opaque, like any other.
  static func claims(of token: Token) -> JWTClaims? {
    guard case .claims(let claims) = JWT.claims(ofToken: token) else { return nil }
    return claims
  }
}
