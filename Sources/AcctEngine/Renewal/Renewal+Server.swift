import AcctModel
import AcctPorts
import AcctProtocol

extension Renewal {
  /// The account's server, as its metadata describes it.
  ///
  /// Where no metadata can be read, a renewal goes on with the token endpoint of the metadata from before, and waits no
  /// longer than 10 seconds for each document. What has to be found anew each time, such as the server that a DID leads
  /// to, is found first.
  ///
  /// - Parameter account: Gets the token endpoint, for the next time.
  /// - Returns: The server.
  /// - Throws: The reason why there is no metadata, if the account knows no token endpoint; metadata of another issuer.
  func server(of account: inout Account) async throws(EngineError) -> AuthorizationServer {
    var naming = account.naming
    if account.issuerSource == .did { naming = try await IdentityCheck(context).check(&account) }
    let discovering = account.signIn?.tokenEndpoint == nil ? context : context.waiting(atMost: 10)
    do throws(EngineError) {
      let server = try await Discovery(discovering).server(of: account, named: naming)
      account.signIn?.tokenEndpoint = SignInSettings(knowing: server).tokenEndpoint
      return server
    } catch {
      guard let issuer = account.identity.issuer,
        let server = AuthorizationServer(
          account.client.endpoints,
          of: issuer,
          tokenEndpoint: account.signIn?.tokenEndpoint.flatMap { try? HTTPURL($0) },
          named: naming.document(at: issuer.url.origin)
        ), error.isWantOfMetadata(besides: server.tokenEndpoint)
      else { throw error }
      let endpoint = server.tokenEndpoint
      if !server.isGiven(endpoint) { try server.naming.checkedReach(to: endpoint.origin) }
      context.tell(.renewWithoutMetadata(account.name, at: endpoint.origin, because: error))
      return server
    }
  }
}

extension EngineError {
  /// `true` if it says nothing about a server but that its metadata can't be read now.
  ///
  /// A server that can't be reached has no answer at a token endpoint of the same origin either.
  fileprivate func isWantOfMetadata(besides tokenEndpoint: HTTPURL) -> Bool {
    if case .server(let error) = self {
      switch error {
      case .failed, .rateLimited, .oauth(.noMetadata, _), .oauth(.metadata(.notJSON), _): return true
      case .oauth, .resource, .otherUser, .renewalFailed, .signInFailed, .renewalUnread: return false
      }
    }
    guard case .network(.http(let failure, let origin)) = self else { return false }
    switch failure {
    case .timedOut, .closed, .malformed, .tooLarge: return true
    case .unresolved, .unreachable: return origin != tokenEndpoint.origin
    case .untrusted, .cancelled, .unsendable, .source, .inside, .withheld, .proxy, .device: return false
    }
  }
}
