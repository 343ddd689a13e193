import AcctModel
import AcctPorts
import AcctProtocol
import StrictJSON

/// Finds the secret, key or certificate of a client in an account that it signed in to.
struct KnownClient: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Adds the secret or the key that the same client used before, if the user gives neither, and its certificate, if
  /// the user gives none; reads its assertion.
  ///
  /// The same client has the same identifier at the same issuer, with the same endpoints: a secret from a server is
  /// sent nowhere else.
  ///
  /// - Parameter request: The user's request.
  /// - Returns: The request, completed if an account has what is missing; without a note of a certificate that is not
  ///   there.
  /// - Throws: ``EngineError`` if the keyring gives no answer.
  func completed(_ request: SignIn.Request) async throws(EngineError) -> SignIn.Request {
    var request = request
    request.inputTokens.client = try InputTokens(context).client(request.settings).client
    if request.certificate == nil { request.settings.certificate = nil }
    let needsSecret =
      request.clientSecret == nil && request.clientKey == nil
      && request.inputTokens.client == nil && request.settings.authentication != ClientAuthentication.none
    guard !request.clientID.isEmpty, needsSecret || request.certificate == nil else { return request }
    for account in try context.accountStore.listing().accounts where isSame(account, request) {
      let note = request.certificate == nil ? account.client.certificate : nil
      guard needsSecret || note != nil else { continue }
      let credentials: Credentials
      do throws(EngineError) {
        credentials = try await CredentialStore(of: account, in: context).readClient(account.client.itemKinds)
      } catch .keyring(.failed(.locked(_, openedBy: .part), _)) {
        // It is out of reach, perhaps for good; another account or the user may have it.
        continue
      }
      let hasSecret = needsSecret && (credentials.clientSecret != nil || credentials.clientKey != nil)
      guard hasSecret || note != nil && credentials.certificate != nil else { continue }
      if hasSecret {
        request.clientSecret = credentials.clientSecret
        request.clientKey = credentials.clientKey
      }
      if var note, let certificate = credentials.certificate {
        note.isBound = false
        request.settings.certificate = note
        request.certificate = certificate
      }
      if request.settings.authentication == nil { request.settings.authentication = account.client.authentication }
      return request
    }
    return request
  }

  /// The access to the registration of a client, from an account that signed in with it.
  ///
  /// - Parameters:
  ///   - clientID: The client, which acct has registered.
  ///   - place: Its server's key in the book of clients.
  /// - Returns: The access; `nil` where no account has any.
  /// - Throws: ``EngineError`` if the accounts can't be listed.
  func access(to clientID: String, at place: String) async throws(EngineError) -> RegistrationAccess? {
    for account in try context.accountStore.listing().accounts {
      guard let client = account.registeredClient, client.id == clientID, client.places.contains(place) else {
        continue
      }
      // A keyring that does not open hinders no other account's sign-in, which goes on without the access.
      let access = try? await CredentialStore(of: account, in: context).registrationAccess()
      if let access { return access }
    }
    return nil
  }

  private func isSame(_ account: Account, _ request: SignIn.Request) -> Bool {
    guard account.kind == .oauth, account.identity.clientID == request.clientID,
      !account.client.itemKinds.isEmpty, account.client.endpoints == request.settings.endpoints
    else { return false }
    // Without an issuer the server is known only by its endpoints, and the account's are the same. The account may
    // have its issuer from an ID token.
    guard let issuer = request.issuer else { return request.settings.endpoints[.token] != nil }
    guard let known = account.identity.issuer else { return false }
    // The document decides whether it ends with a slash, which people leave out.
    return issuer.url == known.url || "\(issuer)/" == "\(known)" || "\(issuer)" == "\(known)/"
  }
}

extension ClientSettings {
  /// The items that the client's authentication and its grant need.
  var itemKinds: [ItemKind] {
    var kinds: [ItemKind] =
      switch authentication {
      case .basic, .post: [.clientSecret]
      case .privateKey: [.clientKey]
      case .tls, .some(.none), .assertionFile, nil: []
      }
    if grant == .jwtBearer, inputs.grantToken == nil, !kinds.contains(.clientKey) { kinds.append(.clientKey) }
    if certificate != nil { kinds += [.certificate, .certificateKey] }
    return kinds
  }
}
