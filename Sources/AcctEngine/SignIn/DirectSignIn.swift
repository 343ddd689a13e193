import AcctModel
import AcctPorts
import AcctProtocol

/// Obtains tokens without a person: by the client's own authentication (RFC 6749, section 4.4), by a JWT that its key
/// signs or that a file has (RFC 7523, section 2.1), or by a token of another issuer (RFC 8693).
package struct DirectSignIn: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Requests tokens.
  ///
  /// - Parameter request: The user's request.
  /// - Returns: Credentials that are not stored yet; a renewal makes the same request again.
  /// - Throws: ``EngineError``; nothing is left behind.
  package func signIn(_ request: SignIn.Request) async throws(EngineError) -> NewCredentials {
    var request = try await KnownClient(context).completed(request)
    request.inputTokens = try await GrantToken(context).read(request.settings, of: request.issuer)
    let server = try await Discovery(context).server(of: request, using: [])
    let client = try ServerClient(request, at: server)
    let key = try await server.newKey(request, context)
    let form = GrantForm(direct: request.scope, request.resources, of: server, by: client)
    let response: TokenResponse
    do throws(EngineError) {
      response = try await TokenEndpoint(of: server, by: client, context.client).grant(form, key: key)
    } catch {
      throw error.refusing(.init(client, request.scope, request.resources))
    }
    var credentials = NewCredentials(response, key: key, from: server, client, request, now: context.world.clock.now())
    credentials.idToken = try? response.idToken?.get()
    credentials.subjectStatements.idToken = response.idTokenSubject
    return credentials
  }
}
