package import AcctModel
package import AcctPorts
package import AcctProtocol
import Secrets
import Synchronization

/// Sends the user to an address, and waits for the one callback that answers it: from the browser, from the desktop,
/// or pasted.
package struct CallbackReceiver<Answer: Sendable>: Sendable {
  private let context: EngineContext
  private let channels: Channels
  /// The longest wait, in seconds.
  private let timeout: Int64
  private let judge: @Sendable (_ address: String) -> Verdict

  /// The channels for a callback, besides pasting.
  package struct Channels: Sendable {
    var listening: Listening?
    /// The address on this machine where acct listens.
    var redirect = LoopbackRedirect.standard(port: nil)
    /// Begins to receive what the desktop delivers; `nil` if it delivers nothing.
    var desktop: Desktop?
    /// `true` to ask for it although a browser has opened: a callback to an app's own scheme may end in the browser,
    /// at an address without a handler.
    var alwaysAsks = false

    package typealias Desktop = @Sendable (_ report: @Sendable (SignInPrompt) -> Void) async -> SchemeReception?

    package init(
      listening: Listening?,
      redirect: LoopbackRedirect = .standard(port: nil),
      desktop: Desktop? = nil,
      alwaysAsks: Bool = false
    ) {
      self.listening = listening
      self.redirect = redirect
      self.desktop = desktop
      self.alwaysAsks = alwaysAsks
    }
  }

  /// The verdict on an address.
  package indirect enum Verdict: Sendable {
    case taken(Answer, CallbackPage)
    /// The right one may still arrive; this is reported if the address was pasted.
    case wrong(SignInPrompt)
    /// The right one may still arrive; the user is told of this one, with its error if it has one.
    case unproven(AuthorizationResponse.Unproven?)
  }

  package init(
    _ context: EngineContext,
    _ channels: Channels,
    timeout: Int64,
    judge: @escaping @Sendable (_ address: String) -> Verdict
  ) {
    self.context = context
    self.channels = channels
    self.timeout = timeout
    self.judge = judge
  }

  private var world: World { context.world }

  /// Sends the user to `address` and returns the callback.
  ///
  /// Ctrl-C, SIGTERM and a closed terminal cancel the wait; nothing is left behind.
  ///
  /// - Parameters:
  ///   - address: The address for the user.
  ///   - origin: The origin of the address, to show to the user.
  ///   - opensBrowser: `true` if a browser may be opened.
  ///   - report: Takes the prompts.
  /// - Returns: The answer.
  /// - Throws: ``EngineError/cancelled``, also at the end of an input that was the only channel;
  ///   ``SignInError/callbackTimedOut(seconds:addressValidFor:isClientRegistered:)``.
  package func answer(
    at address: SignInAddress,
    of origin: Origin,
    opensBrowser: Bool,
    report: @escaping @Sendable (SignInPrompt) -> Void
  ) async throws(EngineError) -> Answer {
    let shown = ShownAddress()
    let ending = await cancelledBySignals { () -> Ending? in
      // Without the desktop the callback can still be pasted.
      let reception = await channels.desktop?(report)
      let sources: [@Sendable () async -> Ending?] = [
        { await sent(to: address, of: origin, opensBrowser, reception, shown, report) },
        { await world.clock.sleep(timeout) ? .timedOut : nil },
      ]
      let ending = await first(of: sources)
      await reception?.close()
      return ending
    }
    report(.ended)
    switch ending {
    case .answered(let answer): return answer
    case .timedOut: throw .signIn(.callbackTimedOut(seconds: timeout, addressValidFor: shown.seconds))
    case .failed(let error): throw error
    case nil: throw .cancelled
    }
  }

  /// The end of a wait that is not cancelled.
  private indirect enum Ending: Sendable {
    case answered(Answer)
    case timedOut
    /// A new address could not be made.
    case failed(EngineError)
  }

  private func sent(
    to address: SignInAddress,
    of origin: Origin,
    _ opensBrowser: Bool,
    _ reception: SchemeReception?,
    _ shown: ShownAddress,
    _ report: @escaping @Sendable (SignInPrompt) -> Void
  ) async -> Ending? {
    report(.address(address.text))
    let isOpen = if opensBrowser { await world.browser.open(address.text) } else { false }
    var sources: [@Sendable () async -> Ending?] = []
    if let listening = channels.listening {
      sources.append { await heard(on: listening, report).map { .answered($0) } }
    }
    if let reception { sources.append { await handed(over: reception).map { .answered($0) } } }
    if isOpen {
      report(.browserOpened(origin))
      guard channels.alwaysAsks || sources.isEmpty else {
        report(.waiting(.browser, seconds: timeout))
        return await first(of: sources + [{ await context.passKeys(to: report) }])
      }
      report(.pasteCallback)
    } else {
      report(.openYourself)
      note(address, shown, report)
    }
    report(.waiting(.paste, seconds: timeout))
    // End of input ends the wait as well if the callback can only be pasted; with an open browser it may still arrive
    // by itself.
    let outlastsInput = isOpen && !sources.isEmpty
    sources.append {
      if let ending = await pasted(isOpen ? nil : address.end, shown, report) { return ending }
      if outlastsInput { await forever() }
      return nil
    }
    return await first(of: sources)
  }

  /// Shows when an address that the user opens ends.
  private func note(_ address: SignInAddress, _ shown: ShownAddress, _ report: @Sendable (SignInPrompt) -> Void) {
    shown.seconds = address.end?.seconds
    if let end = address.end { report(.addressEnds(seconds: end.seconds, canBeRenewed: world.terminal.canAsk())) }
  }

  /// The most callbacks without proof of which the user is told.
  private static var mostTold: Int { 4 }

  /// Returns the first callback on the listener that is an answer.
  ///
  /// A callback from anything but this user's browser is not read, even with an `error` in it. The user is told once
  /// per kind of caller: it may be a browser that is not recognized as theirs.
  private func heard(on listening: Listening, _ report: @Sendable (SignInPrompt) -> Void) async -> Answer? {
    var told: Set<Callback.Caller> = []
    var unproven: Set<AuthorizationResponse.Unproven?> = []
    while let callback = await listening.next() {
      guard callback.caller == .ownUser else {
        callback.answer(.refused)
        if told.insert(callback.caller).inserted { report(.callbackRefused(callback.caller)) }
        continue
      }
      let place = channels.redirect.text(port: listening.port)
      let address = "\(place)?\(callback.query.shownText)"
      let answer = taken(address, callback.answer) { error in
        // Once each, and not many: any page can bring the browser here.
        if unproven.count < Self.mostTold, unproven.insert(error).inserted { report(.callbackUnproven(error)) }
      }
      if let answer { return answer }
    }
    return nil
  }

  /// Returns the first address from the desktop that is an answer.
  private func handed(over reception: SchemeReception) async -> Answer? {
    while let handed = await reception.next() {
      if let answer = taken(handed.address.shownText, handed.answer, { _ in }) { return answer }
    }
    return nil
  }

  /// The verdict on an address, whose secrets are redacted from now on, wherever it came from.
  private func judged(_ address: String) -> Verdict {
    for part in address.split(whereSeparator: { $0 == "?" || $0 == "#" }).dropFirst() {
      world.held.hold(SecretMembers.ofQuery(String(part)))
    }
    return judge(address)
  }

  private func taken(
    _ address: String,
    _ show: (CallbackPage) -> Void,
    _ tell: (AuthorizationResponse.Unproven?) -> Void
  ) -> Answer? {
    switch judged(address) {
    case .taken(let answer, let page):
      show(page)
      return answer
    case .wrong:
      show(.unexpected)
      return nil
    case .unproven(let error):
      show(error == nil ? .withoutAnswer : .unexpected)
      tell(error)
      return nil
    }
  }

  /// Returns the first pasted address that is an answer; at a terminal, an empty line requests a new address to open.
  private func pasted(
    _ end: SignInAddress.End?,
    _ shown: ShownAddress,
    _ report: @Sendable (SignInPrompt) -> Void
  ) async -> Ending? {
    for await line in world.terminal.lines(context.words(.callbackAddress)) {
      if line.count == 0, let end, world.terminal.canAsk() {
        do throws(EngineError) {
          let address = try await end.renew()
          report(.address(address.text))
          note(address, shown, report)
        } catch { return .failed(error) }
        continue
      }
      // No callback is one letter.
      if line.count == 1, line.shownText == "c" {
        report(.copy)
        continue
      }
      switch judged(line.shownText) {
      case .taken(let answer, _): return .answered(answer)
      case .wrong(let prompt): report(prompt)
      case .unproven(let error): report(.callbackUnproven(error))
      }
    }
    return nil
  }

  private func cancelledBySignals(_ body: @escaping @Sendable () async -> Ending?) async -> Ending? {
    // Watched before anything is shown to the user: Ctrl-C may be the reaction to it.
    let (signals, signal) = AsyncStream.makeStream(of: Void.self)
    let watch = world.signals.watch { signal.yield() }
    defer { watch.release() }
    return await first(of: [
      body,
      {
        for await _ in signals { break }
        return nil
      },
    ])
  }
}

extension EngineContext {
  /// Reports the key that asks for a copy of the address or the code, until the task is cancelled.
  ///
  /// - Returns: `nil`, as a source of ``first(of:)`` that has no answer.
  func passKeys<Value>(to report: @Sendable (SignInPrompt) -> Void) async -> Value? {
    if interaction == .allowed, world.streams.copy != nil {
      for await key in world.terminal.keys() where key == .text("c") { report(.copy) }
    }
    await forever()
    return nil
  }
}

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

/// The address at which the user signs in.
package struct SignInAddress: Sendable {
  var text: String
  /// Its expiry, if it is known.
  var end: End?

  package init(_ text: String) { self.text = text }

  /// The expiry of an address, and the way to a new one (RFC 9126, section 2.2).
  struct End: Sendable {
    /// The lifetime of the address from when it was made, in seconds.
    var seconds: Int64
    /// Makes another address for the same request; callbacks of both are accepted.
    var renew: @Sendable () async throws(EngineError) -> SignInAddress
  }
}

/// The lifetime of the address that the user was shown last.
final class ShownAddress: Sendable {
  private let known = Mutex<Int64?>(nil)

  /// Its seconds; `nil` if no address was shown, or if it does not expire.
  var seconds: Int64? {
    get { known.withLock { $0 } }
    set { known.withLock { $0 = newValue } }
  }
}
