import AcctModel
import AcctPorts
import AcctProtocol
import Release
import Secrets

/// Obtains the tokens that a grant starts from, before anything is sent to its server.
struct GrantToken: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// The most accounts in a row whose tokens start from each other's.
  private static let longestChain = 8

  /// Reads the tokens anew: the client's, and the grant's.
  ///
  /// - Parameters:
  ///   - settings: The settings of the grant's client.
  ///   - issuer: The issuer of the server that gets the tokens, if it is known by one.
  ///   - account: The account that is being renewed; `nil` at a sign-in.
  /// - Returns: The tokens; none for a request that starts from none.
  /// - Throws: ``EngineError/inputToken(_:)``; ``AuthorizationError/originRefused(_:account:allowed:)`` for another
  ///   account's token that may not be sent to the server.
  func read(
    _ settings: ClientSettings,
    of issuer: Issuer?,
    for account: AccountID? = nil
  ) async throws(EngineError) -> ReadTokens {
    guard settings.hasInputs else { return ReadTokens() }
    var tokens = try InputTokens(context).client(settings)
    tokens.grant = try await grantToken(settings, of: issuer, for: account)
    return tokens
  }

  private func grantToken(
    _ settings: ClientSettings,
    of issuer: Issuer?,
    for account: AccountID?
  ) async throws(EngineError) -> Secret? {
    let inputs = settings.inputs
    let isJWT = settings.grant == .jwtBearer || inputs.subjectType?.isJWT ?? true
    switch inputs.grantToken {
    case nil: return nil
    case .file(let path): return try InputTokens(context).read(path, asJWT: isJWT)
    case .program(let line): return try await InputTokens(context).run(line, asJWT: isJWT)
    case .account(let id):
      let owner = try owner(id, besides: account)
      let server = settings.endpoints[.token]?.origin ?? issuer?.url.origin
      // An exchange that brought an ID token has it in the place of its own.
      let isIDToken = inputs.subjectType == .idToken && owner.tokenType != .none
      let permit: Permit
      do { permit = try owner.permit(lendingTo: server, idToken: isIDToken) } catch { throw .authorization(error) }
      do throws(EngineError) {
        let grant = try await TokenProvider(context, .allowed).grant(to: owner, under: permit)
        return try permit.release(grant).tokenAlone
      } catch .cancelled {
        throw .cancelled
      } catch {
        throw .inputToken(.account(owner.name, error))
      }
    }
  }

  /// The account that has the token.
  private func owner(_ id: AccountID, besides renewed: AccountID?) throws(EngineError) -> Account {
    guard let owner = try context.accountStore.account(id) else { throw .inputToken(.accountGone(id)) }
    var next: Account? = owner
    for _ in 0..<Self.longestChain {
      guard let account = next else { return owner }
      guard account.id != renewed else { throw .inputToken(.circular(owner.name)) }
      guard case .account(let id)? = account.client.inputs.grantToken else { return owner }
      next = try context.accountStore.account(id)
    }
    throw .inputToken(.circular(owner.name))
  }
}
