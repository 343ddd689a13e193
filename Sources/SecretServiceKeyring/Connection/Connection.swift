import Secrets
import AcctPorts
import SessionBus

/// One operation's connection to one provider, over a channel that may have served others.
///
/// A provider that was started anew is found by the next operation: each asks the bus which process
/// owns the name, and trusts that process and no other. If it ends, the rest of the operation fails
/// rather than ask a successor that may not have loaded its items yet.
final class Connection {
  private let channel: any Channel
  private static let name = "org.freedesktop.secrets"
  /// The unique name of the process that owns the name, once the bus has told it.
  private(set) var provider = name
  /// `true` if the provider may take a search for a reason to ask for its password.
  private(set) var mayAskToSearch = false

  init(over channel: any Channel) { self.channel = channel }

  /// Introduces this client to the provider, before any call that needs that.
  ///
  /// GNOME Keyring registers a caller in one event of its main loop and serves its call in another. Its
  /// bus thread may queue both while the loop is half through looking for what to do, and then the
  /// call comes first. An `OpenSession` that does ends the whole daemon (its issues 183, 190, 194),
  /// and so does asking for a property of a collection (195): the getter returns neither a value nor
  /// an error, which GDBus takes for a programmer's mistake. A search finds nothing. Started
  /// again the daemon is locked, for all programs. So the first call is harmless, and goes alone: a
  /// client that has had an answer to it is registered. An error that only says that there is none
  /// does not matter. With it goes the question to the bus which process owns the name, at no cost:
  /// the bus answers that itself, and first.
  ///
  /// Its answer is useful, too: a provider with a session collection, as GNOME Keyring has, finds
  /// locked items without a prompt, and a search does not make it ask.
  ///
  /// - Throws: `KeyringFailure` if no provider answers.
  func introduce() throws(KeyringFailure) {
    if try meetOwner() { return }
    let starting = try channel.send(.start(Self.name), to: BusConnection.bus)
    if let name = try channel.reply(to: starting).errorName { throw KeyringFailure(errorName: name) }
    guard try meetOwner() else { throw .unavailable(reason: "no Secret Service is running") }
  }

  /// Greets the process that owns the name; returns `false` if none does.
  private func meetOwner() throws(KeyringFailure) -> Bool {
    provider = Self.name
    let question = BusCall.owner(of: provider)
    let asking = try channel.askOwner(of: provider)
    let greeting = try begin(ServiceCalls.collections)
    let owner = try channel.reply(to: asking)
    if let name = owner.errorName {
      channel.forget(greeting.serial)
      guard name == "org.freedesktop.DBus.Error.NameHasNoOwner" else { throw KeyringFailure(errorName: name) }
      return false
    }
    do { provider = try owner.answer(to: question) } catch { throw KeyringFailure(error) }
    var collections: [String] = []
    do { collections = try finish(greeting) } catch .failed {}
    mayAskToSearch = !collections.contains(ServiceCalls.sessionCollection)
    return true
  }

  /// The session that secrets are carried in, if one was opened with this provider over this channel.
  var session: String? {
    get { channel.session.flatMap { $0.provider == provider ? $0.path : nil } }
    set { channel.session = newValue.map { Session(path: $0, provider: provider) } }
  }

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
    guard reply.sender == provider else { throw .malformedAnswer(to: pending.call.method) }
    do { return try reply.answer(to: pending.call) } catch { throw .malformedAnswer(to: pending.call.method) }
  }

  /// Makes one call and returns its answer.
  ///
  /// - Throws: As ``finish(_:)``.
  func ask<Answer>(_ call: BusCall<Answer>) throws(KeyringFailure) -> Answer { try finish(try begin(call)) }

  /// Makes calls in one round trip and returns the answers, in the order of the calls.
  ///
  /// - Throws: the failure of the first that failed.
  func ask<Answer>(_ calls: [BusCall<Answer>]) throws(KeyringFailure) -> [Answer] {
    let pending = try calls.map { call throws(KeyringFailure) in try begin(call) }
    return try pending.map { call throws(KeyringFailure) in try finish(call) }
  }
}
