import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// Takes over a session of oidc-agent: its client, and the refresh token, with which new tokens are requested at once.
struct TakeSession: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Asks oidc-gen, which may ask the user for the passphrase of its file, and the authorization server.
  ///
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``EngineError``; the refresh token may then have been used.
  func credentials(of found: FoundAccount) async throws(EngineError) -> NewCredentials {
    let isAsked = context.interaction == .allowed && context.world.terminal.canAsk()
    var call = ProgramCall("oidc-gen", ["--print", found.login.place], input: isAsked ? .terminal : .nothing)
    // The person may have to look for the passphrase.
    if isAsked { call.timeLimit = .seconds(300) }
    let output = try await AskProgram(context).answered(call)
    let session: TakeOverSession.Session
    do { session = try OIDCAgentSession.parse(output) } catch { throw .migration(.answer(program: "oidc-gen")) }
    return try await TakeOverSession(context).credentials(of: session)
  }
}
