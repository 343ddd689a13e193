import AcctModel
import AcctPorts
import AcctProtocol

/// Waits for the one callback that answers a request, from the browser or pasted.
struct CallbackWait: Sendable {
  private let world: World
  private let listening: Listening
  private let request: AuthorizationRequest
  private let server: AuthorizationServer

  init(
    _ world: World,
    _ listening: Listening,
    _ request: AuthorizationRequest,
    _ server: AuthorizationServer
  ) {
    self.world = world
    self.listening = listening
    self.request = request
    self.server = server
  }

  /// Sends the user to `address` and returns the code that comes back.
  ///
  /// Ctrl-C, a polite end and a closed terminal cancel the wait; nothing is left behind.
  func code(
    at address: String,
    opensBrowser: Bool,
    tell: @escaping @Sendable (SignInPrompt) -> Void
  ) async throws(EngineError) -> Secret {
    let verdict = await cancelledBySignals {
      if opensBrowser, await world.browser.open(address) {
        tell(.browserOpened(server.issuer.url.origin))
        return await heard()
      }
      tell(.openYourself(address: address))
      return await first({ await heard() }, { await pasted(tell) })
    }
    switch verdict {
    case .code(let code): return code
    case .refused(let code, let description):
      throw .authorizationRefused(code: code, description: description)
    case .untrusted(let distrust): throw .untrustedCallback(distrust)
    case .foreign, nil: throw .cancelled
    }
  }

  /// The first callback on the listener that is an answer to this request.
  private func heard() async -> AuthorizationResponse? {
    while let callback = await listening.next() {
      let response = AuthorizationResponse(callback.query.text, to: request, from: server)
      switch response {
      case .foreign: callback.answer(.unexpected)
      case .code:
        callback.answer(.done)
        return response
      case .refused, .untrusted:
        callback.answer(.failed)
        return response
      }
    }
    return nil
  }

  /// The first pasted address that is an answer to this request.
  private func pasted(_ tell: @Sendable (SignInPrompt) -> Void) async -> AuthorizationResponse? {
    for await line in world.terminal.lines("callback address: ") {
      let text = line.text
      if let mark = text.firstIndex(of: "?"), text[..<mark] == request.redirectURI[...] {
        let query = text[mark...].dropFirst().prefix { $0 != "#" }
        let response = AuthorizationResponse(String(query), to: request, from: server)
        if response.isOurs { return response }
      }
      tell(.wrongPaste)
    }
    return nil
  }

  private func cancelledBySignals(
    _ body: @escaping @Sendable () async -> AuthorizationResponse?
  ) async -> AuthorizationResponse? {
    // Watched from before the user is told anything: Ctrl-C may be the answer to it.
    let (signals, signal) = AsyncStream.makeStream(of: Void.self)
    let watch = world.signals.watch { signal.yield() }
    defer { watch.release() }
    return await first(body) {
      for await _ in signals { break }
      return nil
    }
  }

  /// The answer of whichever has one first; the other is cancelled.
  private func first(
    _ one: @escaping @Sendable () async -> AuthorizationResponse?,
    _ other: @escaping @Sendable () async -> AuthorizationResponse?
  ) async -> AuthorizationResponse? {
    await withTaskGroup(of: AuthorizationResponse?.self) { group in
      group.addTask { await one() }
      group.addTask { await other() }
      // End of input ends the wait as well: nobody is left who could paste the right one.
      let answer = await group.next() ?? nil
      group.cancelAll()
      return answer
    }
  }
}

extension Secret {
  /// The text, for parsers of text.
  var text: String { withBytes { String(copying: $0) } }
}
