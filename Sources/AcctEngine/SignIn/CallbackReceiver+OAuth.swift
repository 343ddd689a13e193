import AcctModel
import Secrets
import AcctPorts
import AcctProtocol

extension CallbackReceiver<AuthorizationResponse> {
  /// Waits for the answer to an authorization request.
  init(
    _ context: EngineContext,
    _ listening: Listening,
    _ request: AuthorizationRequest,
    _ redirect: LoopbackRedirect,
    _ server: AuthorizationServer,
    timeout: Int64
  ) {
    self.init(context, Channels(listening: listening, redirect: redirect), timeout: timeout) {
      address in
      guard let mark = address.firstIndex(where: { $0 == "?" || $0 == "#" }),
        address[..<mark] == request.redirectURI[...]
      else { return .wrong(.wrongPaste) }
      let parts = address[mark...].dropFirst().split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      // A server may put its answer into the fragment; beside a query it is a mark of the page.
      let query = address[mark] == "#" ? address[mark...].dropFirst() : parts.first { !$0.isEmpty } ?? ""
      guard !query.isEmpty else { return .unproven(nil) }
      let response = AuthorizationResponse(
        String(query),
        to: request,
        from: server,
        redacting: context.world.held.redactor
      )
      switch response {
      case .foreign(let error?): return .unproven(error)
      case .foreign(nil): return .wrong(.wrongPaste)
      case .code: return .taken(response, .done)
      case .refused, .untrusted: return .taken(response, .failed)
      }
    }
  }
}

extension AuthorizationResponse {
  /// The code in the expected answer.
  ///
  /// - Returns: The code.
  /// - Throws: ``EngineError`` for any other answer.
  func code() throws(EngineError) -> Secret {
    switch self {
    case .code(let code): return code
    case .refused(let code, let description): throw .signIn(.refused(code: code, description: description))
    case .untrusted(let distrust): throw .signIn(.untrustedCallback(distrust))
    case .foreign: throw .cancelled
    }
  }
}
