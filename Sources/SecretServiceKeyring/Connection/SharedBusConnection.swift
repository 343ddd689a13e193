import AcctPorts
import Secrets
import SessionBus
import Synchronization

/// The one connection to the session bus that a process keeps, lent to one operation at a time.
///
/// For a command that reads once it makes no difference. But a process that serves for days, such as
/// the proxy, would connect anew for every request, and each new connection is one more chance for
/// GNOME Keyring to fall over it (see ``Connection/introduce()``). It handles one call at a time as
/// well, so nothing is lost by taking turns, and a burst of requests is a queue here instead of a
/// crowd there.
///
/// It keeps the way to the keyring, and nothing that came over it: every operation asks who the provider is, and
/// reads anew. ``mark()`` tells whether another read is needed, since the provider's announcements come the same way.
final class SharedBusConnection: Sendable {
  private let lock = AsyncLock()
  /// Locked by the operation whose turn it is, for which no thread ever waits.
  private let kept = Mutex<PlainChannel?>(nil)
  /// `true` if announcements of providers are of interest.
  private let listens = Atomic(false)

  /// A mark that is another one after a provider has announced a change; `nil` where none can be relied on.
  ///
  /// The first call lets the operations after it listen. During an operation there is no mark: a caller of this waits
  /// for no operation.
  func mark() -> ChangeMark? {
    listens.store(true, ordering: .relaxed)
    let mark: ChangeMark?? = kept.withLockIfAvailable { kept in
      do throws(KeyringFailure) { return try kept?.mark() } catch {
        // The bus has hung up: the next operation connects anew.
        kept = nil
        return nil
      }
    }
    return mark ?? nil
  }

  /// Does something over the connection, when it is its turn.
  ///
  /// The bus may have ended a kept connection, or the provider its session, since the last use. An
  /// operation that fails in a way that may be due to that is repeated over a new connection from
  /// the beginning: until then it has done nothing that it would not do again.
  ///
  /// - Parameters:
  ///   - address: The bus to connect to, if need be.
  ///   - end: The deadline, which includes the wait for the turn. Earlier operations are done first.
  ///   - body: The operation.
  /// - Returns: What `body` returns.
  /// - Throws: `KeyringFailure.unavailable` or `timedOut` if the bus cannot be reached, and the failure of `body`.
  func use(
    to address: BusAddress,
    until end: ContinuousClock.Instant,
    _ body: @Sendable (PlainChannel) throws(KeyringFailure) -> ServiceAnswer?
  ) async throws(KeyringFailure) -> ServiceAnswer? {
    await lock.enter()
    defer { lock.leave() }
    return try kept.withLock { kept throws(KeyringFailure) in
      if let channel = kept.take() {
        channel.bus.extend(until: end)
        do throws(KeyringFailure) { return try use(channel, keepingIn: &kept, body) } catch {
          guard channel.hasEnded || error.isAnError else { throw error }
        }
      }
      return try use(try PlainChannel(to: address, until: end), keepingIn: &kept, body)
    }
  }

  private func use(
    _ channel: PlainChannel,
    keepingIn kept: inout PlainChannel?,
    _ body: @Sendable (PlainChannel) throws(KeyringFailure) -> ServiceAnswer?
  ) throws(KeyringFailure) -> ServiceAnswer? {
    do throws(KeyringFailure) {
      if listens.load(ordering: .relaxed) { try channel.listen() }
      let result = try body(channel)
      if channel.isReusable { kept = channel }
      return result
    } catch {
      if channel.isReusable, !error.isAnError { kept = channel }
      throw error
    }
  }
}

extension KeyringFailure {
  /// `true` for an error of the provider's own, such as that it knows no such session.
  fileprivate var isAnError: Bool { if case .failed = self { true } else { false } }
}

/// Lets in one at a time, in the order in which they came; a waiting caller holds no thread.
final class AsyncLock: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Waits for a turn, which ``leave()`` must end.
  func enter() async {
    if take() { return }
    await withCheckedContinuation { turn in
      let isMine = state.withLock { state in
        guard state.isTaken else {
          state.isTaken = true
          return true
        }
        state.waiting.append(turn)
        return false
      }
      if isMine { turn.resume() }
    }
  }

  /// Ends a turn, and begins the next.
  func leave() {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      if state.waiting.isEmpty {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }

  /// Takes the turn, if it is free.
  private func take() -> Bool {
    state.withLock { state in
      defer { state.isTaken = true }
      return !state.isTaken
    }
  }
}

/// The session bus, by a socket of our own: for all calls that need no prompt.
final class PlainChannel: Channel {
  let bus: BusConnection
  var session: Session?
  /// Calls whose replies have not been taken.
  private var unanswered = 0
  private var hasFailed = false
  private var hasPrompted = false
  /// `true` once it receives the signals of providers.
  private var isListening = false
  /// `true` if the provider that was met last announces locks (see ``mark``).
  var announcesLocks = false
  /// Tells its marks from those of other channels.
  private let number = UInt64.random(in: .min ... .max)
  /// `true` once the bus has hung up.
  private(set) var hasEnded = false

  /// Connects.
  ///
  /// - Throws: `KeyringFailure.unavailable`, or `timedOut` if the bus does not answer.
  init(to address: BusAddress, until end: ContinuousClock.Instant) throws(KeyringFailure) {
    do { bus = try BusConnection(to: address, until: end) } catch { throw KeyringFailure(error) }
  }

  /// `true` if nothing of its earlier use is left in it.
  ///
  /// A reply may still come to a caller that did not wait for it, and a prompt leaves a
  /// subscription.
  var isReusable: Bool { unanswered == 0 && !hasFailed && !hasPrompted }

  /// Has the bus pass on the providers' announcements, from now on.
  ///
  /// - Throws: `KeyringFailure.unavailable` or `timedOut`.
  func listen() throws(KeyringFailure) {
    guard !isListening else { return }
    do {
      for rule in Self.announcements { try bus.listen(for: rule) }
    } catch { throw failed(error) }
    isListening = true
  }

  /// The signals of the name's owner about its collections and their items, and of a change of that owner.
  ///
  /// Changes of properties are left out: they come with these, and with the path of every item.
  private static let announcements = [
    "type='signal',sender='org.freedesktop.secrets',interface='org.freedesktop.Secret.Service'",
    "type='signal',sender='org.freedesktop.secrets',interface='org.freedesktop.Secret.Collection'",
    "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
      + "member='NameOwnerChanged',arg0='org.freedesktop.secrets'",
  ]

  /// A mark that is another one after each announcement; `nil` where none can be relied on.
  ///
  /// GNOME Keyring announces each lock, and each item that is created or deleted, before it answers the program that
  /// asked for that; it does not announce another secret of an item. It is known by its session collection, as for
  /// ``Connection/mayAskToSearch``. It is not known when other providers announce a lock: they are asked each time.
  ///
  /// - Throws: `KeyringFailure.unavailable` if the bus has hung up.
  func mark() throws(KeyringFailure) -> ChangeMark? {
    guard isListening, announcesLocks else { return nil }
    do { try bus.drop() } catch { throw failed(error) }
    return ChangeMark(number &+ bus.signals)
  }

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
  func wait<Content>(for signal: BusSignal<Content>, from sender: String) throws(KeyringFailure) -> Content {
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
