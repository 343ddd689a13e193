import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// Asks the person at the terminal for a client that a server needs, and shows the page to register one at.
struct AskForClient {
  private let context: Context
  private let opensBrowser: Bool

  init(_ context: Context, opensBrowser: Bool) {
    self.context = context
    self.opensBrowser = opensBrowser
  }

  /// Completes a way to sign in that failed because of its client.
  ///
  /// - Parameters:
  ///   - way: The way.
  ///   - error: The failure.
  /// - Returns: The way with the client that was typed; `nil` if the failure is another one, or no terminal can ask.
  /// - Throws: ``EngineError/cancelled``, ``InputError/clientSecret(_:)``.
  func complete(_ way: SignInWay, after error: EngineError) async throws(EngineError) -> SignInWay? {
    guard context.canAsk, case .server(var request) = way else { return nil }
    switch error {
    case .provider(.clientNeeded(let registration)):
      await show(registration)
      request.server.clientID = try ask("client id: ")
    case .provider(.notRegistered(_, _, let registration)) where request.server.clientID.isEmpty:
      context.world.report("acct: \(ErrorMessage(error).text)")
      await show(registration)
      request.server.clientID = try ask("client id: ")
    case .provider(.secretNeeded(let registration)):
      request.server.clientSecret = try askSecret(registration)
    default: return nil
    }
    return .server(request)
  }

  /// Shows where to register a client, and what to enter there.
  private func show(_ registration: ProviderError.Registration) async {
    let report = context.world.report
    report("acct: \(registration.title ?? "the server") needs to know the client, once; register one here:")
    let page = registration.page ?? registration.place
    if let page { report(page) }
    if registration.page == nil {
      report("acct: name: acct; redirect address (callback URL), if it asks for one:")
      report(registration.redirect)
    } else {
      report("acct: its fields are filled in")
    }
    if registration.usesDevice { report("acct: where it asks, allow the device flow") }
    if let page, page.hasPrefix("https://"), opensBrowser { _ = await context.world.browser.open(page) }
  }

  private func ask(_ prompt: String) throws(EngineError) -> String {
    guard let answer = context.world.terminal.ask(prompt)?.trimmed, !answer.isEmpty else { throw .cancelled }
    return answer
  }

  private func askSecret(_ registration: ProviderError.Registration) throws(EngineError) -> Secret {
    if let place = registration.place { context.world.report("acct: the client's secret is at \(place)") }
    guard let answer = context.world.terminal.askSecret("client secret: ") else { throw .cancelled }
    do { return try ClientSecret.check(answer) } catch { throw .input(.clientSecret(error)) }
  }
}
