import AcctModel
import AcctPorts
import AcctProtocol

extension Renewal {
  /// What a renewal sends: the refresh token, or the same request as at first.
  func form(for credentials: Credentials, _ client: ServerClient, _ server: AuthorizationServer) -> GrantForm {
    let account = credentials.account
    guard let refreshToken = credentials.refreshToken, !account.client.grant.renewsItself else {
      return GrantForm(direct: account.scope, account.resources, of: server, by: client)
    }
    return GrantForm(RefreshRequest.form(refreshToken, clientID: client.formID, resource: account.resources.first))
  }
}

extension Credentials {
  /// Whether there is what a renewal needs.
  var canBeRenewed: Bool {
    guard account.tokenType != .dpop || key != nil else { return false }
    return account.client.grant.renewsItself || refreshToken != nil
  }
}

extension ServerClient {
  /// The client of an account.
  ///
  /// - Throws: ``SignInError/clientSecretMissing(account:)`` where the keyring lacks what its method needs.
  init(_ credentials: Credentials, at server: AuthorizationServer) throws(EngineError) {
    self.init(
      id: credentials.account.identity.clientID,
      credentials.account.client,
      secret: credentials.clientSecret,
      key: credentials.clientKey,
      at: server
    )
    guard isComplete else { throw .signIn(.clientSecretMissing(account: credentials.account.name)) }
  }
}
