import AcctModel
import AcctPorts
import AcctProtocol

extension RequestRefusal.Asked {
  /// What a sign-in asks for.
  init(_ client: ServerClient, _ scope: String?, _ resources: [ResourceIndicator]) {
    self.init(clientID: client.id, method: client.method, scope: scope, targets: resources.map(\.description))
  }

  /// What a renewal asks for, or a request for a second token.
  init(_ account: Account, for purpose: TokenPurpose?, by client: ServerClient) {
    let own = account.resources.first.map { [$0.description] } ?? account.ownGrant?.audiences ?? []
    self.init(
      clientID: client.id,
      method: client.method,
      scope: purpose?.scopeText ?? account.scope,
      targets: purpose?.audience.map { [$0] } ?? own,
      account: account,
      isSecondToken: purpose != nil
    )
  }
}
