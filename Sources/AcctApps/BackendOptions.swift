package import AcctEngine
package import AcctModel
import ArgumentParser

/// The options of `acct add` that name a backend.
package struct BackendOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Sign in at a backend that hands over its tokens.", valueName: "url"))
  var backend: String?

  @Option(help: ArgumentHelp("Sign in at a backend that keeps the tokens itself.", valueName: "url"))
  var session: String?

  @Option(help: ArgumentHelp("Begin a guest session at a backend.", valueName: "url"))
  var guest: String?

  package init() {}

  /// The backends that are named.
  package var sources: [BackendSource] {
    [guest.map { .guest($0) }, backend.map { .backend($0) }, session.map { .session($0) }].compactMap(\.self)
  }

  /// `true` if a backend signs in, which may be told whom.
  package var signsIn: Bool { backend != nil || session != nil }

  /// Rejects options that a backend decides itself, and options of a backend where there is none.
  package func requireFitting(_ callback: CallbackOption, scope: String?, clientID: String?) throws {
    guard signsIn || callback.callback == nil else {
      throw ValidationError("--callback needs --backend or --session")
    }
    guard !signsIn || scope == nil else { throw ValidationError("--scope is chosen by the backend") }
    guard session == nil || clientID == nil else { throw ValidationError("--client-id is chosen by the backend") }
  }
}

/// The option that names an app's address.
package struct CallbackOption: ParsableArguments {
  @Option(help: ArgumentHelp("Where a backend's sign-in ends, as in limit://auth.", valueName: "prefix"))
  var callback: String?

  package init() {}

  package var isUsed: Bool { callback != nil }

  /// The user's way to a backend's sign-in and back, checked.
  ///
  /// - Throws: ``BackendError/callbackPrefix(_:_:)``.
  package func route(redirectPort: Int?, opensBrowser: Bool, timeout: Int64) throws(EngineError) -> CallbackRoute {
    var expected: CallbackPlace?
    if let callback {
      do { expected = try CallbackPlace(prefix: callback) } catch { throw .backend(.callbackPrefix(callback, error)) }
    }
    return CallbackRoute(
      expected: expected,
      redirectPort: redirectPort,
      opensBrowser: opensBrowser,
      timeout: timeout
    )
  }
}

/// A backend as the options of `acct add` name it.
package enum BackendSource: Sendable {
  /// One that hands over its tokens.
  case backend(String)
  /// One that keeps the tokens.
  case session(String)
  case guest(String)

  /// `true` if the answer is known to belong to this sign-in: callbacks of backends have no `state`.
  package var isConfirmed: Bool {
    switch self {
    case .backend, .session: false
    case .guest: true
    }
  }

  /// Why no device can have the key.
  package var reasonAgainstKey: String {
    switch self {
    case .backend: "a --backend hands over its own key, which no device takes in"
    case .session: "a --session has no DPoP key: its backend keeps the tokens"
    case .guest: "a --guest has no DPoP key"
    }
  }

  /// Checks the request for a sign-in.
  ///
  /// - Parameters:
  ///   - person: The identity as the user typed it; `nil` leaves that to the backend's own page.
  ///   - clientID: Used if the backend does not name it.
  ///   - route: The user's way to the sign-in and back.
  /// - Returns: The sign-in; `nil` for a guest, who needs none.
  /// - Throws: ``InputError/malformed(_:)``.
  package func signIn(
    for person: String?,
    clientID: String?,
    _ route: CallbackRoute
  ) throws(EngineError) -> AppSignIn? {
    let person = person.map(ATProtoSignIn.Identifier.bare)
    switch self {
    case .backend(let url):
      return try parsed { () throws(ParseError) in
        try BackendSignIn.Request(url, for: person, clientID: clientID, route)
      }.signIn()
    case .session(let url):
      return try parsed { () throws(ParseError) in try SessionSignIn.Request(url, for: person, route) }.signIn()
    case .guest: return nil
    }
  }
}

extension AppSignIn {
  /// A sign-in at a backend.
  ///
  /// - Parameters:
  ///   - settings: What the account keeps of it.
  ///   - namesPerson: `true` if the user has said who signs in.
  ///   - account: The account that is signed in to again, if there is one; another person is then not the account's.
  ///   - signIn: Signs in.
  convenience init(
    _ settings: SignInSettings,
    namesPerson: Bool,
    to account: Account?,
    signIn: @escaping Run
  ) {
    self.init(settings, namesPerson: namesPerson) { (context, report) async throws(EngineError) in
      do throws(EngineError) { return try await signIn(context, report) } catch {
        guard let account, case .otherPerson(_, let found?, let origin)? = error.backend else { throw error }
        throw .signIn(.otherPerson(OtherPerson(account, found, at: origin)))
      }
    }
  }
}

extension SignInWay {
  /// The way in which an account of a backend signs in; `nil` for any other account.
  ///
  /// - Throws: ``InputError/malformed(_:)``.
  package static func backend(of account: Account, _ changes: Login.Changes) throws(EngineError) -> SignInWay? {
    // An account of an earlier version has no settings.
    let settings = account.signIn ?? SignInSettings(identifier: account.handle?.description ?? account.did?.description)
    let route = CallbackRoute(
      expected: settings.callback.flatMap { try? CallbackPlace(prefix: $0) },
      redirectPort: settings.redirectPort,
      opensBrowser: changes.opensBrowser,
      timeout: changes.callbackTimeout
    )
    if account.kind == .session, let backend = account.backend {
      let request = try parsed { () throws(ParseError) in
        try SessionSignIn.Request(backend.description, for: settings.identifier, route)
      }
      return .app(request.signIn(to: account))
    }
    guard let backend = account.source?.backend else { return nil }
    let request = try parsed { () throws(ParseError) in
      try BackendSignIn.Request(
        settings.backend ?? backend.description,
        for: settings.identifier,
        clientID: changes.clientID ?? account.identity.clientID,
        route
      )
    }
    return .app(request.signIn(to: account))
  }
}
