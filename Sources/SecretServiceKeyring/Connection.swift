import AcctPorts
import SessionBus

/// A way to send messages to the session bus and to get the replies.
protocol Channel {
  /// Sends a call, at the latest when a reply is waited for; returns the number of the call.
  func send<Answer>(_ call: BusCall<Answer>, to name: String) throws(KeyringFailure) -> UInt32

  /// Waits for the reply to a call, which may be an error.
  func reply(to serial: UInt32) throws(KeyringFailure) -> BusMessage
}

/// One operation's own connection to the session bus, and through it to one provider.
///
/// A connection is never kept, so it can never be stale: a provider or a bus that was started anew
/// is simply met by the next operation. The first answer decides which process is talked to; should
/// it go away, the rest of the operation fails rather than ask a successor that may not have loaded
/// its items yet.
final class Connection {
  private let channel: any Channel
  private var provider = "org.freedesktop.secrets"

  init(over channel: any Channel) { self.channel = channel }

  /// Has the provider take notice of us, before anything is asked that needs that.
  ///
  /// GNOME Keyring registers a caller in one event and serves its call in another, and the two can
  /// change places. Then a first call that opens a session or asks a collection for a property ends
  /// the whole daemon (its issues 183, 190, 194), and one that looks for something finds nothing.
  /// Whoever has had an answer to something harmless is registered; nothing else may be sent before.
  /// The answer itself does not matter, nor does an error that only says that there is none.
  ///
  /// - Throws: `KeyringFailure` if nobody answers.
  func introduce() throws(KeyringFailure) {
    do { _ = try ask(ServiceCalls.collections) } catch .failed {}
  }

  /// The process that answered, once one has.
  var answeredBy: String { provider }

  /// A call that has been begun, and whose answer has not been taken.
  struct Pending<Answer> {
    fileprivate let call: BusCall<Answer>
    fileprivate let serial: UInt32
  }

  /// Begins a call; it costs no time of its own if others are begun before an answer is taken.
  ///
  /// - Throws: `KeyringFailure` if the bus does not take it.
  func begin<Answer>(_ call: BusCall<Answer>) throws(KeyringFailure) -> Pending<Answer> {
    Pending(call: call, serial: try channel.send(call, to: provider))
  }

  /// Takes the answer to a call that was begun.
  ///
  /// - Throws: the call's failure, translated by ``KeyringFailure``'s own initializers.
  func finish<Answer>(_ pending: Pending<Answer>) throws(KeyringFailure) -> Answer {
    let reply = try channel.reply(to: pending.serial)
    if let name = reply.errorName { throw KeyringFailure(errorName: name) }
    guard let sender = reply.sender else { throw .malformedAnswer(to: pending.call.method) }
    if !provider.hasPrefix(":") { provider = sender }
    guard sender == provider else {
      throw .unavailable(reason: "the Secret Service was started anew meanwhile")
    }
    do { return try reply.answer(to: pending.call) } catch {
      throw .malformedAnswer(to: pending.call.method)
    }
  }

  /// Makes one call and returns its answer.
  ///
  /// - Throws: what ``finish(_:)`` throws.
  func ask<Answer>(_ call: BusCall<Answer>) throws(KeyringFailure) -> Answer {
    try finish(try begin(call))
  }

  /// Makes calls in one round trip and returns the answers, in the order of the calls.
  ///
  /// - Throws: the failure of the first that failed.
  func ask<Answer>(_ calls: [BusCall<Answer>]) throws(KeyringFailure) -> [Answer] {
    var pending: [Pending<Answer>] = []
    for call in calls { pending.append(try begin(call)) }
    var answers: [Answer] = []
    for call in pending { answers.append(try finish(call)) }
    return answers
  }
}
