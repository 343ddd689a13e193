import AcctPorts
import SessionBus

/// The session bus, by a socket of our own: for all that nobody has to be asked for.
struct PlainChannel: Channel {
  let bus: BusConnection

  /// Connects.
  ///
  /// - Throws: `KeyringFailure.unavailable`, or `timedOut` if the bus does not answer.
  init(to address: BusAddress, time: Duration) throws(KeyringFailure) {
    do { bus = try BusConnection(to: address, until: .now + time) } catch {
      throw KeyringFailure(error)
    }
  }

  func send<Answer>(_ call: BusCall<Answer>, to name: String) throws(KeyringFailure) -> UInt32 {
    bus.send(call, to: name)
  }

  func reply(to serial: UInt32) throws(KeyringFailure) -> BusMessage {
    do { return try bus.reply(to: serial) } catch { throw KeyringFailure(error) }
  }
}
