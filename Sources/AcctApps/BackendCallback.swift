import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// Sends the user to a backend's sign-in, and waits for its callback at the app's address.
struct BackendCallback: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  private var world: World { context.world }

  /// Opens the channels for a callback, sends the user to the sign-in, and returns the callback's contents.
  ///
  /// A callback that breaks the rules, or that `accept` rejects, is answered as unexpected, or
  /// reported if it was pasted; then the wait continues.
  ///
  /// - Parameters:
  ///   - route: The way to the sign-in and back.
  ///   - required: The parameters that must be present.
  ///   - report: Takes the prompts to show while it waits.
  ///   - start: Returns the address for the user; called once a callback could be received.
  ///   - accept: Parses the parameters, or throws the flaw in them.
  /// - Returns: What `accept` returns.
  /// - Throws: What `start` throws; ``SignInError/refused(code:description:)`` if the callback is a rejection,
  ///   ``SignInError/listen(_:)``, ``EngineError/cancelled``. Nothing is left behind.
  func receive<Answer: Sendable>(
    _ route: CallbackRoute,
    requiring required: [String],
    report: @escaping @Sendable (SignInPrompt) -> Void,
    start: () async throws(EngineError) -> HTTPURL,
    accept: @escaping @Sendable (QueryParameters) throws(CallbackFlaw) -> Answer
  ) async throws(EngineError) -> Answer {
    let listening: Listening?
    do {
      listening =
        if let port = route.port { try await world.listener.listen(.standard(port: port)) } else {
          nil
        }
    } catch {
      throw .signIn(.listen(error))
    }
    let outcome: Result<Outcome<Answer>, EngineError>
    do throws(EngineError) {
      let address = try await start()
      let rule = CallbackRule(expected: route.expected, required: required)
      let channels = CallbackReceiver<Outcome<Answer>>
        .Channels(listening: listening, desktop: route.scheme.map(desktop), alwaysAsks: route.asksAlways)
      let receiver = CallbackReceiver(context, channels, timeout: route.timeout) { text in
        judge(text, by: rule, world.held, accept)
      }
      outcome = .success(
        try await receiver.answer(
          at: SignInAddress(address.description),
          of: address.origin,
          opensBrowser: route.opensBrowser,
          report: report
        )
      )
    } catch {
      outcome = .failure(error)
    }
    await listening?.close()
    switch try outcome.get() {
    case .accepted(let answer): return answer
    case .refused(let code, let description): throw .signIn(.refused(code: code, description: description))
    }
  }

  /// Registers for a scheme's addresses; without them the callback can still be pasted.
  private func desktop(_ scheme: String) -> @Sendable (@Sendable (SignInPrompt) -> Void) async -> SchemeReception? {
    let schemes = context.schemes
    return { report in
      do throws(SchemeHandlerFailure) { return try await schemes.register(scheme) } catch {
        report(.told("the desktop can't deliver \(scheme): addresses: \(words(for: error))"))
        return nil
      }
    }
  }
}

/// The way of a backend's user to the sign-in and back.
package struct CallbackRoute: Sendable {
  /// The value of `--callback`.
  let expected: CallbackPlace?
  /// The value of `--redirect-port`.
  let redirectPort: Int?
  let opensBrowser: Bool
  /// The longest wait for the callback, in seconds.
  let timeout: Int64

  /// What an account keeps of a sign-in by this way.
  func settings(at backend: String, for identifier: String?) -> SignInSettings {
    SignInSettings(
      redirectPort: redirectPort,
      backend: backend,
      identifier: identifier,
      callback: expected?.prefix
    )
  }

  /// The port to listen on, if the callback can reach the listener at all.
  var port: Int? {
    if let redirectPort { return redirectPort }
    guard let expected, expected.isLoopback, expected.scheme == "http", expected.host != "[::1]",
      ["", "/callback"].contains(expected.path)
    else { return nil }
    return expected.port.map(Int.init)
  }

  /// The app's scheme to register on the desktop: only one that the user has named.
  var scheme: String? { expected.flatMap { $0.isAppScheme ? $0.scheme : nil } }

  /// `true` if the callback is not certain to reach the listener, and so may have to be pasted.
  var asksAlways: Bool { !(expected?.isLoopback ?? false) || port == nil }
}

private enum Outcome<Answer: Sendable>: Sendable {
  case accepted(Answer)
  case refused(code: String, description: String?)
}

private func judge<Answer>(
  _ address: String,
  by rule: CallbackRule,
  _ held: HeldSecrets,
  _ accept: (QueryParameters) throws(CallbackFlaw) -> Answer
) -> CallbackReceiver<Outcome<Answer>>.Verdict {
  do throws(CallbackFlaw) {
    switch try rule.read(address) {
    case .refused(let code, let description):
      let words = description.map(held.redactor.redact)
      return .taken(.refused(code: held.redactor.redact(code), description: words), .failed)
    case .complete(let parameters): return .taken(.accepted(try accept(parameters)), .done)
    }
  } catch {
    var flaw = error
    if case .doubled(let name) = flaw { flaw = .doubled(name: held.redactor.redact(name)) }
    return .wrong(.told("this is not the callback of this sign-in: \(words(for: flaw)); paste the whole address"))
  }
}
