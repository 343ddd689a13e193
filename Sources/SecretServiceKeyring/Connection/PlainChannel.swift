import Secrets
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
