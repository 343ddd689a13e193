/// The messages that a connection waits for; every other message is dropped when it arrives.
///
/// A bus with a permissive policy, such as Debian's, delivers unrequested replies. So a reply
/// counts only if its call is in flight and its sender is the process that was called, or the bus,
/// which answers for a process that it cannot reach. A dropped reply leaves the call in flight.
struct AwaitedMessages {
  /// The calls in flight, and the name that each was sent to.
  private var callees: [UInt32: String] = [:]
  /// The questions to the bus about a name's owner, and the name.
  private var questions: [UInt32: String] = [:]
  /// The owners of names, as far as the bus has told them.
  private var owners: [String: String] = [:]
  private var replies: [UInt32: BusMessage] = [:]
  private var subscriptions: [Subscription] = []

  /// A signal that is waited for, and the first one that came.
  private struct Subscription {
    let sender: String
    let subject: [String?]
    var first: BusMessage?
  }

  /// Expects the reply to a call.
  mutating func expectReply(to serial: UInt32, from callee: String) {
    callees[serial] = callee
    replies[serial] = nil
  }

  /// Expects the bus to name the owner of a name; until then, the name has no owner.
  mutating func expectOwner(of name: String, by serial: UInt32) {
    expectReply(to: serial, from: BusConnection.bus)
    questions[serial] = name
    owners[name] = nil
  }

  /// Expects a signal, of which the first is kept.
  mutating func expect<Content>(_ signal: BusSignal<Content>, from sender: String) {
    let subject = [signal.path, signal.interface, signal.name]
    subscriptions.append(Subscription(sender: sender, subject: subject))
  }

  /// Cancels a call: its reply is dropped, whenever it comes.
  mutating func forget(_ serial: UInt32) {
    callees[serial] = nil
    questions[serial] = nil
    replies[serial] = nil
  }

  /// Takes the reply to a call, if it has come.
  mutating func reply(to serial: UInt32) -> BusMessage? { replies.removeValue(forKey: serial) }

  /// Takes the first signal of its kind, if one has come.
  mutating func signal<Content>(_ signal: BusSignal<Content>, from sender: String) -> BusMessage? {
    let subject = [signal.path, signal.interface, signal.name]
    for index in subscriptions.indices
    where subscriptions[index].sender == sender && subscriptions[index].subject == subject {
      if let message = subscriptions[index].first.take() { return message }
    }
    return nil
  }

  /// Keeps a message that is expected.
  mutating func receive(_ message: BusMessage) {
    guard let sender = message.sender else { return }
    if let serial = message.replySerial {
      guard let callee = callees[serial], isBelieved(sender, for: callee) else { return }
      callees[serial] = nil
      if let name = questions.removeValue(forKey: serial) { owners[name] = try? message.answer(to: .owner(of: name)) }
      replies[serial] = message
    } else if let index = subscriptions.firstIndex(where: {
      $0.sender == sender && $0.subject == message.subject
    }), subscriptions[index].first == nil {
      subscriptions[index].first = message
    }
  }

  private func isBelieved(_ sender: String, for callee: String) -> Bool {
    sender == BusConnection.bus || sender == callee || sender == owners[callee]
  }
}
