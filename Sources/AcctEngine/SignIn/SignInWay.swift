package import AcctModel
import AcctPorts
import AcctProtocol
import Release

/// A way to sign in, with everything that the server is asked for.
package indirect enum SignInWay: Sendable {
  /// At an OAuth 2 server.
  case server(ServerSignIn.Request)
  /// In the AT Protocol network.
  case network(ATProtoSignIn.Request)
  /// At an app's backend.
  case app(AppSignIn)
}

/// A sign-in at an app's backend, which an annex has prepared.
package final class AppSignIn: Sendable {
  fileprivate let settings: SignInSettings
  /// `true` if the user has said who signs in, and no other is accepted.
  fileprivate let namesPerson: Bool
  fileprivate let signIn: Run

  /// Signs in, and shows prompts meanwhile; the credentials are not stored yet.
  package typealias Run =
    @Sendable (
      EngineContext, _ report: @escaping @Sendable (SignInPrompt) -> Void
    ) async throws(EngineError) -> NewCredentials

  /// - Parameters:
  ///   - settings: What the account keeps of it, so that the next sign-in needs none of it again.
  ///   - namesPerson: `true` if the user has said who signs in.
  ///   - signIn: Signs in.
  package init(_ settings: SignInSettings, namesPerson: Bool, signIn: @escaping Run) {
    self.settings = settings
    self.namesPerson = namesPerson
    self.signIn = signIn
  }
}

/// The person who signs in, as a command can reach them.
package struct SignInPerson: Sendable {
  /// `true` if a browser, or a program in its place, can be asked for.
  package var hasBrowser: Bool
  /// `true` if the keyring that gets the tokens accepts them: that of an account which is signed in to again.
  var hasKeyring = false
  /// Shows what the person must see while a sign-in waits.
  package var show: @Sendable (SignInPrompt) -> Void
  /// Shows what the person should know.
  package var notify: @Sendable ([Notice]) -> Void
  /// Asks whether the browser was at this server and at no other; `nil` without a terminal.
  package var confirmHost: (@Sendable (Origin) -> Bool)?
  /// Asks whether an identity that was not named is theirs.
  ///
  /// - Throws: ``EngineError/cancelled`` if it is not.
  package var confirmIdentity: @Sendable (Handle?, DID?) throws(EngineError) -> Void

  package init(
    hasBrowser: Bool,
    show: @escaping @Sendable (SignInPrompt) -> Void,
    notify: @escaping @Sendable ([Notice]) -> Void,
    confirmHost: (@Sendable (Origin) -> Bool)?,
    confirmIdentity: @escaping @Sendable (Handle?, DID?) throws(EngineError) -> Void
  ) {
    self.hasBrowser = hasBrowser
    self.show = show
    self.notify = notify
    self.confirmHost = confirmHost
    self.confirmIdentity = confirmIdentity
  }

  /// Finds out that a keyring can't take the tokens before the person signs in.
  ///
  /// - Parameters:
  ///   - context: The command's.
  ///   - meet: Asks the server; before a keyring asks for its passphrase, since an address can be mistyped.
  /// - Throws: ``EngineError``.
  func prepareKeyring(
    _ context: EngineContext,
    after meet: () async throws(EngineError) -> Void = {}
  ) async throws(EngineError) {
    guard !hasKeyring else { return }
    var quiet = context
    quiet.interaction = .forbidden
    do throws(EngineError) { try await AddAccount(quiet).prepare() } catch {
      guard context.interaction == .allowed else { throw error }
      try await meet()
      try await AddAccount(context).prepare()
    }
  }
}

extension SignInWay {
  /// Signs in.
  ///
  /// A keyring that can't take the tokens is found out before the person has signed in.
  ///
  /// - Parameters:
  ///   - context: The command's.
  ///   - person: Who signs in.
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``EngineError``; nothing is left behind.
  package func signIn(_ context: EngineContext, as person: SignInPerson) async throws(EngineError) -> NewCredentials {
    do throws(EngineError) {
      var credentials = try await obtained(context, by: person)
      var settings = settings
      settings.tokenEndpoint = credentials.signIn?.tokenEndpoint
      credentials.signIn = settings
      return credentials
    } catch .server(.failed(let status, let retryAfter, let origin)) {
      throw .server(.signInFailed(status: status, retryAfter: retryAfter, origin))
    }
  }

  /// `true` if neither a browser nor a person at one is needed here.
  package var needsNoBrowser: Bool {
    guard case .server(let way) = self else { return false }
    return way.isDirect || way.mayUseDevice
  }

  /// The settings that the account keeps, so that the next sign-in needs no option again.
  private var settings: SignInSettings {
    switch self {
    case .server(let way):
      var settings = SignInSettings(
        scope: way.server.scope,
        usesDevice: way.usesDevice,
        redirect: way.server.redirect,
        redirectPort: way.server.redirectPort,
        endpoints: way.provider == nil ? [:] : way.server.settings.endpoints,
        parameters: way.server.authorizationParameters
      )
      settings.sendsIDToken = way.server.sendsIDToken
      return settings
    case .network(let request):
      return SignInSettings(scope: request.scope, redirectPort: request.redirectPort)
    case .app(let app): return app.settings
    }
  }

  private func obtained(
    _ context: EngineContext,
    by person: SignInPerson
  ) async throws(EngineError) -> NewCredentials {
    switch self {
    case .server(let request): return try await ServerSignIn(context, person).signIn(request)
    case .network(let request):
      let signIn = ATProtoSignIn(context)
      try await person.prepareKeyring(context) { () throws(EngineError) in try await signIn.meet(request.identifier) }
      return try await signIn.signIn(request, report: person.show)
    case .app(let app):
      try await person.prepareKeyring(context)
      let credentials = try await app.signIn(context, person.show)
      // A backend's callback has no `state`: any page that the browser visits can bring one, of another person's sign-in.
      if !app.namesPerson { try person.confirmIdentity(credentials.handle, credentials.did) }
      return credentials
    }
  }
}
