import AcctPorts
import SessionBus

/// One operation's connection to one provider, over a channel that may have served others.
///
/// A provider that was started anew is simply met by the next operation: each asks for whoever has the
/// name. The first answer decides which process is talked to; should it go away, the rest of the
/// operation fails rather than ask a successor that may not have loaded its items yet.
final class Connection {
  private let channel: any Channel
  private var provider = "org.freedesktop.secrets"
  /// Whether the provider may take a search for a reason to ask for its password.
  private(set) var mayAskToSearch = false

  init(over channel: any Channel) { self.channel = channel }

  /// Has the provider take notice of us, before anything is asked that needs that.
  ///
  /// GNOME Keyring registers a caller in one event of its main loop and serves its call in another. Its
  /// bus thread may queue both while the loop is half through looking for what to do, and then the
  /// call comes first. An `OpenSession` that does ends the whole daemon (its issues 183, 190, 194),
  /// and so does asking for a property of a collection (195): the getter returns neither a value nor
  /// an error, which GDBus takes for a programmer's mistake. A search finds nothing. Started
  /// again the daemon is locked, for everybody. So what goes first is harmless, and goes alone:
  /// whoever has had an answer to it is registered. An error that only says that there is none does
  /// not matter.
  ///
  /// What it answers is of use, too: who has a collection for the session, as GNOME Keyring does, finds
  /// what is locked, and asks nobody because of a search.
  ///
  /// - Throws: `KeyringFailure` if nobody answers.
  func introduce() throws(KeyringFailure) {
    var collections: [String] = []
    do { collections = try ask(ServiceCalls.collections) } catch .failed {}
    mayAskToSearch = !collections.contains(ServiceCalls.sessionCollection)
  }

  /// The session that secrets are carried in, if one was opened with this provider over this channel.
  var session: String? {
    get { channel.session.flatMap { $0.provider == provider ? $0.path : nil } }
    set { channel.session = newValue.map { Session(path: $0, provider: provider) } }
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
