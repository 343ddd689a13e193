package import AcctModel
package import AcctPorts
package import AcctProtocol
package import Release
import Secrets

/// An account and its credentials from the keyring, both of one moment.
package struct Credentials: Sendable {
  /// Its expiry is the keyring's, if that has one: a renewal writes the time there first.
  package var account: Account
  package var token: Token?
  /// Read only for a renewal.
  var refreshToken: RefreshToken?
  @Boxed package var key: DPoPKey? = nil
  /// The client's secret; read only for a renewal.
  var clientSecret: Secret?
  @Boxed var clientKey: ClientKey? = nil
  /// The client's certificate for TLS, with its key; read only for a renewal, and for requests that acct makes.
  @Boxed package var certificate: CertifiedKey? = nil
  /// The tokens of other issuers that a renewal starts from; read only for one.
  var inputTokens = ReadTokens()
  /// Read only for a renewal.
  @Boxed var idToken: IDToken? = nil
  /// Notices from the renewal that obtained them.
  package var notices: [Notice] = []

  /// `true` if a request could be made with them.
  var isUsable: Bool { token != nil && (account.tokenType != .dpop || key != nil) }

  var evidence: Evidence { isUsable ? .present : .missing }

  /// Determines the account's state from the keyring and the clock.
  package func assess(at now: Timestamp, leaving minimum: Int64? = nil) -> Assessment {
    account.assess(evidence, at: now, leaving: minimum)
  }

  /// The stored token, with the key that it is bound to.
  ///
  /// - Throws: ``SignInError/required(account:_:)`` if one of them is missing.
  package func grant(at now: Timestamp) throws(EngineError) -> AccessGrant {
    guard let token, isUsable else { throw account.stateError(assess(at: now)) }
    return AccessGrant(
      own: AccountToken(token, of: account.id),
      key: account.tokenType == .dpop ? key : nil,
      identity: certificate.map(TLSIdentity.init),
      expiresAt: account.tokenLifetime.expiresAt,
      // A script that runs all day is told on the last one.
      notices: notices + (account.sessionWarning(at: now, within: 86_400).map { [$0] } ?? [])
    )
  }
}

extension Account {
  /// Checks that no server has ended the session, and that its client's certificate is valid: otherwise the keyring
  /// need not be asked.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - insists: `true` to ask the server again although it has ended the session; a token that is used to its end
  ///     belongs to a session that is spent.
  /// - Throws: ``SignInError/required(account:_:)``.
  package func requireNotEnded(at now: Timestamp, insisting insists: Bool = false) throws(EngineError) {
    let isAsked = recordedState.state != .reauthRequired || insists && !recordedState.tokenStands
    guard isAsked, client.certificate?.hasEnded(at: now) != true else {
      throw stateError(lastKnownState(at: now))
    }
  }
}

/// A token that can be used now, with the key that it is bound to.
package struct AccessGrant: Sendable {
  let own: AccountToken
  package var key: DPoPKey?
  /// Presented where the token is used, if its client has a certificate and it was read.
  package var identity: TLSIdentity?
  package var expiresAt: Timestamp?
  package var notices: [Notice]

  package var token: Token { own.token }
}

extension Permit {
  /// Releases the token of a grant; see ``release(_:beside:)``.
  package func release(_ grant: AccessGrant, beside companion: HeaderField? = nil) throws(EngineError) -> Released {
    do { return try release(grant.own, beside: companion) } catch { throw .authorization(error) }
  }
}

/// The tokens of other issuers that a request starts from, as they were just before it.
struct ReadTokens: Sendable {
  /// The client's assertion (RFC 7523, section 2.2).
  var client: Secret?
  /// The grant's assertion or subject token.
  var grant: Secret?
}

/// Reads tokens that platforms and programs provide, before the request that needs them.
struct InputTokens: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Reads the assertion by which a client authenticates itself, if a file has it.
  ///
  /// - Throws: ``EngineError/inputToken(_:)``.
  func client(_ settings: ClientSettings) throws(EngineError) -> ReadTokens {
    guard let path = settings.inputs.clientAssertion else { return ReadTokens() }
    return ReadTokens(client: try read(path, asJWT: true))
  }

  /// Reads the token that a file has now.
  ///
  /// - Parameters:
  ///   - path: The file, which only the user and root can write; links are followed.
  ///   - isJWT: `true` if nothing but a JWT will do.
  /// - Returns: The token.
  /// - Throws: ``EngineError/inputToken(_:)``.
  func read(_ path: String, asJWT isJWT: Bool) throws(EngineError) -> Secret {
    let contents: Secret
    do { contents = try context.world.secretFiles.read(path, TokenInputs.limit, .token) } catch {
      throw .inputToken(.file(error))
    }
    return try token(contents, from: .file(path), asJWT: isJWT)
  }

  /// Runs a program, and reads the token that it prints.
  ///
  /// - Throws: ``EngineError/inputToken(_:)``; ``EngineError/cancelled``.
  func run(_ line: ProgramLine, asJWT isJWT: Bool) async throws(EngineError) -> Secret {
    var call = ProgramCall(line.program, line.arguments, outputLimit: TokenInputs.limit, timeLimit: .seconds(30))
    call.isNamed = true
    let result: ProgramResult
    do { result = try await context.world.programs.run(call) } catch {
      if error == .cancelled { throw .cancelled }
      throw .inputToken(.program(error))
    }
    context.world.held.hold(result.output)
    guard result.status == 0 else {
      let line = result.errors.shownText.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
      let words = context.world.held.redactor.redact(line)
      throw .inputToken(.refused(program: call.program, status: result.status, words: words))
    }
    return try token(result.output, from: .program(line.program), asJWT: isJWT)
  }

  /// Checks a token, without the blanks and line ends behind it.
  private func token(_ text: Secret, from origin: TokenOrigin, asJWT isJWT: Bool) throws(EngineError) -> Secret {
    let secret = text.withBytes { bytes in
      var end = bytes.count
      while end > 0, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[end - 1]) { end -= 1 }
      return Secret((0..<end).map { bytes[$0] })
    }
    guard secret.count > 0 else { throw .inputToken(.unusable(.empty, origin)) }
    context.world.held.hold(secret)
    guard let token = try? Token(secret) else { throw .inputToken(.unusable(.notToken, origin)) }
    var claims: JWTClaims?
    do throws(JWTError) {
      if isJWT {
        claims = try JWT.decode(token).claims
      } else if case .claims(let found) = JWT.claims(ofToken: token) {
        claims = found
      }
    } catch { throw .inputToken(.unusable(.notJWT, origin)) }
    if let end = claims?.expiry, end.seconds(since: context.world.clock.now()) <= 0 {
      throw .inputToken(.ended(origin, end))
    }
    return secret
  }
}
