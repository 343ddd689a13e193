import AcctModel
import Release
import AcctPorts
import AcctProtocol

/// Drops a client that a server has registered, when the last account that signs in with it is removed.
struct UnusedClient: Sendable {
  private let context: EngineContext

  /// Limits a request to 5 seconds: a slow server is not waited for.
  init(_ context: EngineContext) { self.context = context.waiting(atMost: 5) }

  /// Drops the client of an account that is gone, unless another account has it; best effort.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - access: The access to the registration, to have the server delete it as well (RFC 7592, section 2.3).
  /// - Returns: A notice if the client may still be there.
  func drop(of account: Account, _ access: RegistrationAccess?) async -> Notice? {
    guard let client = account.registeredClient else { return nil }
    do throws(EngineError) {
      let isUnused = try await context.changeClientBook { (book) throws(EngineError) -> Bool in
        let (accounts, damaged) = try context.accountStore.listing()
        let isUsed = accounts.contains { other in
          // Its user may have named the same client.
          guard other.id != account.id, other.identity.clientID == client.id else { return false }
          return other.clientPlaces.contains(where: client.places.contains)
        }
        guard !isUsed else { return false }
        book.drop(client.id, at: client.places)
        // An account whose file can't be read may have the client.
        return damaged.isEmpty
      }
      guard isUnused, let access else { return nil }
      return try await delete(access, of: account)
    } catch {
      return .clientNotDeleted(account: account.name, .failed(error))
    }
  }

  private func delete(_ access: RegistrationAccess, of account: Account) async throws(EngineError) -> Notice? {
    let naming = IdentityResolver(context).naming(ofIssuerOf: account)
    let origin = access.url.origin
    guard try await isServer(origin, of: account, named: naming) else { return nil }
    let released: Released
    do { released = try Permit(backTo: access.url).release(access.token, in: "Bearer") } catch {
      throw .authorization(error)
    }
    let response = try await context.client.send(
      HTTPRequest(
        method: "DELETE",
        url: access.url,
        fields: [("Accept", "application/json")],
        releasing: released,
        timeout: context.timeout,
        reach: try naming.checkedReach(to: origin)
      )
    )
    let answer = ServerAnswer(response, redacting: context.world.held.redactor)
    // With 401 or 404 the client is gone already.
    guard !answer.isSuccess, ![401, 404].contains(answer.status) else { return nil }
    return .clientNotDeleted(account: account.name, Notice.Cause(answer, origin))
  }

  /// `true` if the account's server registers clients there, or is there itself: the token goes nowhere else.
  private func isServer(
    _ origin: Origin,
    of account: Account,
    named naming: Naming
  ) async throws(EngineError) -> Bool {
    if [account.identity.issuer?.url, account.client.endpoints[.registration]].contains(where: { $0?.origin == origin })
    {
      return true
    }
    let server = try await Discovery(context).server(of: account, named: naming, using: [.registration])
    return server.registrationEndpoint?.origin == origin
  }
}
