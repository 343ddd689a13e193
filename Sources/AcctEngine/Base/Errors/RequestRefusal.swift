package import AcctModel
import AcctPorts
package import AcctProtocol

/// A server's rejection of something that only the user can change: the client, the scope or the resource of a
/// request.
package struct RequestRefusal: Equatable, Sendable {
  /// The rejected request.
  package var asked: Asked
  package var part: RefusedPart
  /// The server's code, where that is not the part's: it refused a second token as it refuses a session that has ended.
  package var endCode: String?
  /// The server's message.
  package var description: String?
  /// The status of the response; `nil` where the account's file recalls an earlier rejection.
  package var status: Int?
  package var origin: Origin

  /// The parameters of a request for tokens.
  package struct Asked: Equatable, Sendable {
    package var clientID: String?
    package var method: ClientAuthentication
    package var scope: String?
    /// The resources or audiences.
    package var targets: [String]
    /// The account whose token was to be renewed; `nil` at a sign-in.
    package var account: Account?
    /// Whether it is a second token of the account that was requested.
    package var isSecondToken: Bool
    /// `true` for a client that acct has registered itself.
    package var isRegistered: Bool

    package init(
      clientID: String?,
      method: ClientAuthentication,
      scope: String?,
      targets: [String],
      account: Account? = nil,
      isSecondToken: Bool = false,
      isRegistered: Bool = false
    ) {
      self.clientID = clientID
      self.method = method
      self.scope = scope
      self.targets = targets
      self.account = account
      self.isSecondToken = isSecondToken
      self.isRegistered = isRegistered
    }
  }

  /// The error code and the server's message, as an account's file keeps them.
  package var reason: String { [endCode ?? part.rawValue, description].compactMap(\.self).joined(separator: ": ") }
}

extension RequestRefusal {
  /// Describes the refusal of a second token in the words of a session's end: it is about the audience or the scope that
  /// was requested.
  init(
    secondToken asked: Asked,
    _ code: String,
    _ description: String?,
    status: Int,
    at origin: Origin
  ) {
    self.init(
      asked: asked,
      part: asked.targets.isEmpty ? .scope : .resource,
      endCode: code,
      description: description,
      status: status,
      origin: origin
    )
  }

  /// Restores the rejection of an account's last renewal from its file; `nil` if there was none.
  init?(lastRenewalOf account: Account) {
    guard let reason = account.recordedState.refusedRenewal else { return nil }
    let code = reason.prefix { $0 != ":" }
    let words = reason.dropFirst(code.count + 2)
    self.init(String(code), words.isEmpty ? nil : String(words), of: account)
  }

  /// Describes a rejection of an account's request by its code; `nil` if the code tells of nothing that the user can change.
  init?(_ code: String, _ description: String?, of account: Account) {
    let place = account.identity.issuer?.url ?? account.client.endpoints[.token]
    guard let part = RefusedPart(rawValue: code), let place else { return nil }
    self.init(
      asked: Asked(
        clientID: account.identity.clientID,
        method: account.client.authentication ?? .none,
        scope: account.scope,
        targets: account.resources.first.map { [$0.description] } ?? [],
        account: account,
        isRegistered: account.client.isRegistered
      ),
      part: part,
      description: description,
      status: nil,
      origin: place.origin
    )
  }
}

extension RequestRefusal {
  /// `true` if the server no longer takes a client that acct has registered itself: another one can be registered.
  ///
  /// What the client may not have as a second token says nothing about its registration.
  package var isOfRegisteredClient: Bool {
    asked.isRegistered && part.isClient && !(asked.isSecondToken && part == .use)
  }
}

extension RefusedPart {
  /// `true` if it is the client, or what it may do.
  var isClient: Bool {
    switch self {
    case .client, .use: true
    case .scope, .resource: false
    }
  }
}

extension EngineError {
  /// Returns the error with the request's parameters, if the server rejected one of them.
  package func refusing(_ asked: RequestRefusal.Asked) -> EngineError {
    if case .signIn(.callbackTimedOut(let seconds, let validFor, _)) = self {
      return .signIn(
        .callbackTimedOut(seconds: seconds, addressValidFor: validFor, isClientRegistered: asked.isRegistered)
      )
    }
    guard case .server(.oauth(.refused(let code, let description, let status), let origin)) = self,
      let part = RefusedPart(rawValue: code)
    else { return self }
    return .signIn(
      .requestRefused(
        RequestRefusal(asked: asked, part: part, description: description, status: status, origin: origin)
      )
    )
  }
}
