import AcctPorts
import SessionBus

/// A way to send messages to the session bus and to get the replies.
protocol Channel: AnyObject {
  /// The session that was opened over it last.
  var session: Session? { get set }

  /// Sends a call, at the latest when a reply is waited for; returns the number of the call.
  func send<Answer>(_ call: BusCall<Answer>, to name: String) throws(KeyringFailure) -> UInt32

  /// Asks the bus which process owns a name, and accepts answers to calls to it from no other
  /// process.
  ///
  /// Returns the number of the call ``BusCall/owner(of:)``.
  func askOwner(of name: String) throws(KeyringFailure) -> UInt32

  /// Cancels a call whose reply is no longer of interest.
  func forget(_ serial: UInt32)

  /// Waits for the reply to a call, which may be an error.
  func reply(to serial: UInt32) throws(KeyringFailure) -> BusMessage
}

/// A session of the Secret Service's, which secrets are carried in; it ends with its channel.
struct Session {
  let path: String
  /// The process that it was opened with: any other knows nothing of it.
  let provider: String
}
