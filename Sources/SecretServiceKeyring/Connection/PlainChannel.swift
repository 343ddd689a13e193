import AcctPorts
import SessionBus

/// The session bus, by a socket of our own: for all calls that need no prompt.
final class PlainChannel: Channel {
  let bus: BusConnection
  var session: Session?
  /// Calls whose replies have not been taken.
  private var unanswered = 0
  private var hasFailed = false
  private var hasPrompted = false
  /// Whether the bus has hung up.
  private(set) var hasEnded = false

  /// Connects.
  ///
  /// - Throws: `KeyringFailure.unavailable`, or `timedOut` if the bus does not answer.
  init(
    to address: BusAddress,
    until end: ContinuousClock.Instant
  ) throws(KeyringFailure) {
    do { bus = try BusConnection(to: address, until: end) } catch { throw KeyringFailure(error) }
  }

  /// Whether nothing of its earlier use is left in it.
  ///
  /// A reply may still come to a caller that did not wait for it, and a prompt leaves a
  /// subscription.
  var isReusable: Bool { unanswered == 0 && !hasFailed && !hasPrompted }

  func send<Answer>(_ call: BusCall<Answer>, to name: String) throws(KeyringFailure) -> UInt32 {
    unanswered += 1
    return bus.send(call, to: name)
  }

  func askOwner(of name: String) throws(KeyringFailure) -> UInt32 {
    unanswered += 1
    return bus.askOwner(of: name)
  }

  func forget(_ serial: UInt32) {
    unanswered -= 1
    bus.forget(serial)
  }

  func reply(to serial: UInt32) throws(KeyringFailure) -> BusMessage {
    let reply: BusMessage
    do { reply = try bus.reply(to: serial) } catch { throw failed(error) }
    unanswered -= 1
    return reply
  }

  /// Waits for a signal of a prompt's.
  ///
  /// - Throws: `KeyringFailure.timedOut`, or `unavailable` if the bus hangs up or the sender leaves it.
  func wait<Content>(
    for signal: BusSignal<Content>,
    from sender: String
  ) throws(KeyringFailure) -> Content {
    do { return try bus.wait(for: signal, from: sender) } catch { throw failed(error) }
  }

  /// Has a signal of a prompt's passed on from now on, and the end of the process that emits it.
  func subscribe<Content>(to signal: BusSignal<Content>, from sender: String) {
    hasPrompted = true
    bus.subscribe(to: signal, from: sender)
  }

  private func failed(_ error: BusError) -> KeyringFailure {
    hasFailed = true
    if case .unreachable = error { hasEnded = true }
    return KeyringFailure(error)
  }
}
