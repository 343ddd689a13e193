package import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// Signs in with an AT Protocol identity (<https://atproto.com/specs/oauth>).
package struct ATProtoSignIn: Sendable {
  private let context: EngineContext
  private let client: DPoPClient
  private let resolver: IdentityResolver

  package init(_ context: EngineContext) {
    self.context = context
    client = context.client
    resolver = IdentityResolver(context)
  }

  /// The identifier that the user typed.
  package enum Identifier: Equatable, Sendable {
    case handle(Handle)
    case did(DID)
    /// A data server, or the authorization server of one ("entryway").
    case server(Origin)

    /// Parses the typed identifier.
    ///
    /// - Parameter text: A handle or DID, perhaps after `@` or `at://`, or a URL.
    /// - Throws: ``ParseError``.
    package init(_ text: String) throws(ParseError) {
      let text = Self.bare(text)
      if text.hasPrefix("did:") {
        self = .did(try DID(text))
      } else if text.contains("://") {
        self = .server(try HTTPURL(text).origin)
      } else {
        self = .handle(try Handle(text))
      }
    }

    /// Removes the marks that people copy with a handle: `@alice.example.com`, `at://alice.example.com`, and those that
    /// can't be seen.
    package static func bare(_ text: String) -> String {
      let text = text.withoutCopyMarks
      if text.hasPrefix("@") { return String(text.dropFirst()) }
      guard text.hasPrefix("at://") else { return text }
      let rest = text.dropFirst(5)
      return String(rest.hasSuffix("/") ? rest.dropLast() : rest)
    }
  }

  /// The user's request.
  package struct Request: Sendable {
    package var identifier: Identifier
    /// The identity, for the server's sign-in page: as typed, without the `@` before a handle.
    package var loginHint: String
    package var clientID: String?
    package var scope: String?
    package var opensBrowser: Bool
    package var redirectPort: Int?
    /// The longest wait for the callback, in seconds.
    package var callbackTimeout: Int64
    /// The place of the DPoP key.
    package var key = KeyRequest()

    package init(
      identifier: Identifier,
      loginHint: String,
      clientID: String?,
      scope: String?,
      opensBrowser: Bool,
      redirectPort: Int?,
      callbackTimeout: Int64
    ) {
      self.identifier = identifier
      self.loginHint = loginHint
      self.clientID = clientID
      self.scope = scope
      self.opensBrowser = opensBrowser
      self.redirectPort = redirectPort
      self.callbackTimeout = callbackTimeout
    }
  }

  /// Finds the server of an identity, and asks it for its metadata.
  ///
  /// - Throws: ``EngineError`` for an identity that leads to no server.
  package func meet(_ identifier: Identifier) async throws(EngineError) {
    _ = try await server(identifier, document(identifier))
  }

  /// Signs in.
  ///
  /// - Parameters:
  ///   - request: The identity, and how to sign in.
  ///   - report: Takes the prompts to show while it waits.
  /// - Returns: Credentials that are not stored yet, of an identity that has been verified.
  /// - Throws: ``EngineError``; nothing is left behind.
  package func signIn(
    _ request: Request,
    report: @escaping @Sendable (SignInPrompt) -> Void
  ) async throws(EngineError) -> NewCredentials {
    let known = try await document(request.identifier)
    let server = try await server(request.identifier, known)
    let key = try await request.key.make(context) { account in
      account.tokenType == .dpop && (known.map { account.did == $0.did } ?? (account.identity.issuer == server.issuer))
    }
    let scope = request.scope ?? ATProtoClient.scope
    let clientID = request.clientID ?? ATProtoClient.loopbackID(scope: scope)
    let outcome = try await AuthorizationCodeFlow(context, client).run(
      .init(
        server: server,
        client: ServerClient(id: clientID, .standard, secret: nil, key: nil, at: server),
        clientID: clientID,
        scope: scope,
        loginHint: known == nil ? nil : request.loginHint,
        key: key,
        provesAtOnce: true,
        opensBrowser: request.opensBrowser,
        redirect: .standard(port: request.redirectPort),
        callbackTimeout: request.callbackTimeout
      ),
      report: report
    )
    let response = outcome.response
    let document: DIDDocument
    do { document = try await verified(response, known, server) } catch {
      if let known, case .atproto(.subjectMismatch(_, let found?)) = error, let other = try? DID(found) {
        await UnwantedSession(context).revoke(
          unwanted(response, key: key, of: other, beside: known, clientID: clientID, server),
          of: other.description,
          report: report
        )
      }
      throw error
    }
    let now = context.world.clock.now()
    var credentials = NewCredentials(
      kind: .oauth,
      tokenType: .dpop,
      identity: Identity(subject: document.did.description, issuer: server.issuer, clientID: clientID),
      source: .issuer,
      issuerSource: .did,
      handle: await resolver.confirmedHandle(of: document),
      did: document.did,
      service: document.service,
      origins: OwnOrigins([document.service]),
      scope: response.scope,
      tokenLifetime: response.tokenLifetime(from: now, canRenew: response.refreshToken != nil),
      sessionEndsAt: now.adding(seconds: ATProtoClient.sessionLifetime),
      validatedAt: now,
      token: response.accessToken,
      refreshToken: response.refreshToken,
      key: key,
      isKeyChosen: request.key.place != nil,
      notices: outcome.notices + response.blemishes.compactMap(Notice.init) + Notice.lacking(response, requested: scope)
    )
    credentials.signIn = SignInSettings(knowing: server)
    return credentials
  }

  /// The credentials of another identity than the named one, with the fields needed to revoke them.
  private func unwanted(
    _ response: TokenResponse,
    key: DPoPKey?,
    of did: DID,
    beside known: DIDDocument,
    clientID: String,
    _ server: AuthorizationServer
  ) -> NewCredentials {
    NewCredentials(
      kind: .oauth,
      tokenType: response.tokenType,
      identity: Identity(subject: did.description, issuer: server.issuer, clientID: clientID),
      source: .issuer,
      issuerSource: .did,
      did: did,
      service: known.service,
      origins: OwnOrigins([known.service]),
      tokenLifetime: response.tokenLifetime(from: context.world.clock.now(), canRenew: false),
      token: response.accessToken,
      refreshToken: response.refreshToken,
      key: key
    )
  }

  /// The document of the named identity; `nil` if the identifier names only a server.
  private func document(_ identifier: Identifier) async throws(EngineError) -> DIDDocument? {
    switch identifier {
    case .server: return nil
    case .did(let did): return try await resolver.document(of: did, named: .user)
    case .handle(let handle):
      let found = try await resolver.did(of: handle, named: .user)
      let document = try await resolver.document(of: found.did, named: found.naming)
      guard document.handle == handle else { throw .atproto(.handleNotConfirmed(handle, document.did)) }
      return document
    }
  }

  private func server(
    _ identifier: Identifier,
    _ document: DIDDocument?
  ) async throws(EngineError) -> AuthorizationServer {
    if let document { return try await resolver.server(of: document.service, named: document.naming) }
    guard case .server(let origin) = identifier else { throw .cancelled }
    do throws(EngineError) {
      return try await resolver.server(of: origin, named: .user)
    } catch .atproto(.protectedResource(origin, .status(404))) {
      // Not a data server; then it may be an authorization server itself.
      let issuer: Issuer
      do { issuer = try Issuer(origin.description) } catch { throw .input(.malformed(error)) }
      return try await resolver.server(issuer, named: .user)
    }
  }

  /// Checks that the tokens are those of the requested identity, and that this identity's own
  /// document leads to the server that granted them.
  private func verified(
    _ response: TokenResponse,
    _ known: DIDDocument?,
    _ server: AuthorizationServer
  ) async throws(EngineError) -> DIDDocument {
    guard response.tokenType == .dpop else {
      throw .server(.oauth(.tokenType(response.tokenType.rawValue), server.origin))
    }
    let did: DID
    do { did = try ATProtoClient.subject(of: response, askedFor: known?.did) } catch {
      if case .subjectMismatch(let expected, let found?) = error {
        throw .atproto(.subjectMismatch(expected: expected, found: context.world.held.redactor.redact(found)))
      }
      throw .atproto(error)
    }
    if let known { return known }
    // The source is the token endpoint's statement, until the DID's own document confirms it.
    let naming = server.naming.document(at: server.tokenEndpoint.origin)
    let document = try await resolver.document(of: did, named: naming)
    let issuer = try await resolver.issuer(of: document.service, named: document.naming)
    if let expected = server.issuer, issuer != expected { throw .atproto(.issuerMismatch(did, expected: expected)) }
    return document
  }
}

/// The session of another identity than the requested one.
package struct UnwantedSession: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Revokes it at its server, best effort and never for long; it was not stored.
  ///
  /// - Parameters:
  ///   - credentials: The tokens.
  ///   - person: Their identity, for people.
  ///   - report: Takes the reason why the server may still accept them.
  package func revoke(_ credentials: NewCredentials, of person: String, report: @Sendable (SignInPrompt) -> Void) async
  {
    let id = context.world.entropy.accountID()
    // A name of people's may have what an account's can't.
    guard let name = (try? AccountName(person)) ?? (try? AccountName(id.description)) else { return }
    var account = credentials.account(id, name, createdAt: context.world.clock.now())
    do throws(EngineError) {
      // A backend need not name the issuer of its tokens; then the identity's own document leads there.
      if account.kind == .oauth, account.identity.issuer == nil {
        var brief = context
        brief.timeout = min(context.timeout, 5)
        _ = try await IdentityCheck(brief).check(&account)
      }
    } catch {
      report(.unwantedNotEnded(person, .failed(error)))
      return
    }
    let session = Credentials(
      account: account,
      token: credentials.token,
      refreshToken: credentials.refreshToken,
      key: credentials.key,
      certificate: credentials.certificate
    )
    if case .notRevoked(_, let cause)? = await Revocation(context).revoke(session) {
      report(.unwantedNotEnded(person, cause))
    }
  }
}
