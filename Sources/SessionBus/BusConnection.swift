import Glibc
import Secrets

/// A connection to the session bus that sends calls in one go and waits only where it must.
///
/// Authentication, the greeting and every call up to the first answer that is waited for go out
/// together: the bus takes them in order, so one round trip does for all.
package final class BusConnection {
  private var socket: BusSocket
  private let inbox = Inbox()
  private var outgoing: [UInt8]
  private var lastSerial: UInt32 = 0
  private var awaited = AwaitedMessages()
  private var isWelcome = false
  /// The number of signals so far.
  package private(set) var signals: UInt64 = 0

  /// The name of the bus itself.
  package static let bus = "org.freedesktop.DBus"
  /// EXTERNAL without a name: the bus takes the user that the kernel reports.
  private static let greeting = "\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n"

  /// Connects; nothing is sent before the first answer is waited for.
  ///
  /// - Parameters:
  ///   - address: The address of the bus.
  ///   - end: When all that it is used for until ``extend(until:)`` must be done.
  /// - Throws: ``BusError/unreachable(reason:)`` or ``BusError/timedOut``.
  package init(to address: BusAddress, until end: ContinuousClock.Instant) throws(BusError) {
    do { socket = try BusSocket(to: address.socketNames, until: end) } catch .unreachable(let reason) {
      guard let own = address.own else { throw address.failure(reason) }
      do { socket = try BusSocket(to: [own], until: end) } catch .unreachable { throw address.failure(reason) }
    }
    outgoing = Array(Self.greeting.utf8)
    // Its reply is of no use: a bus that refuses hangs up.
    _ = post(.hello, to: Self.bus)
  }

  deinit { wipe(&outgoing) }

  /// Gives the connection to its next use, which must be done by then.
  ///
  /// - Parameter end: When.
  package func extend(until end: ContinuousClock.Instant) { socket.end = end }

  /// Puts a call behind those that are to be sent.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - name: The unique name of the process that it is for, the bus, or a name whose owner was asked
  ///     for by ``askOwner(of:)``. A reply from any other process is dropped.
  /// - Returns: The number to wait for the reply by.
  package func send<Answer>(_ call: BusCall<Answer>, to name: String) -> UInt32 {
    let serial = post(call, to: name)
    awaited.expectReply(to: serial, from: name)
    return serial
  }

  /// Puts the question which process owns a name behind the calls that are to be sent.
  ///
  /// The bus answers it before it passes on a call to that name that is sent after it, so both may go
  /// out in one write.
  ///
  /// - Parameter name: A well-known name.
  /// - Returns: The number to wait for the reply by, which is that of ``BusCall/owner(of:)``.
  package func askOwner(of name: String) -> UInt32 {
    let serial = post(.owner(of: name), to: Self.bus)
    awaited.expectOwner(of: name, by: serial)
    return serial
  }

  /// Cancels a call, whose reply is dropped if it comes.
  package func forget(_ serial: UInt32) { awaited.forget(serial) }

  private func post<Answer>(_ call: BusCall<Answer>, to name: String) -> UInt32 {
    // Serials start again in a process that runs for months; 0 is not allowed.
    lastSerial = lastSerial == .max ? 1 : lastSerial + 1
    var message = call.message(serial: lastSerial, to: name)
    outgoing.append(contentsOf: message)
    wipe(&message)
    return lastSerial
  }

  /// Sends the pending calls, and waits for one reply.
  ///
  /// - Parameter serial: The number of the call, whose reply has not been taken yet.
  /// - Returns: The reply, which may be an error.
  /// - Throws: ``BusError``.
  package func reply(to serial: UInt32) throws(BusError) -> BusMessage {
    try flush()
    while true {
      if let reply = awaited.reply(to: serial) { return reply }
      try takeIn()
    }
  }

  /// Has the bus pass on a signal, and the end of the process that emits it, before it gets any later call.
  ///
  /// - Parameters:
  ///   - signal: The signal.
  ///   - sender: The unique name of the process that emits it.
  package func subscribe<Content>(to signal: BusSignal<Content>, from sender: String) {
    awaited.expect(signal, from: sender)
    awaited.expect(.ownerChanged, from: Self.bus)
    // If the bus refuses, there is no signal, and the deadline ends the wait.
    _ = post(.addMatch(signal.rule(from: sender)), to: Self.bus)
    let end = BusSignal.ownerChanged.rule(from: Self.bus, argument: sender)
    _ = post(.addMatch(end), to: Self.bus)
  }

  /// Sends the pending calls, and waits for a signal that was subscribed to.
  ///
  /// - Parameters:
  ///   - signal: The signal.
  ///   - sender: The unique name of the process that emits it; the same from others is ignored.
  /// - Returns: The signal's contents.
  /// - Throws: ``BusError``; ``BusError/peerLeft`` if the process leaves the bus before.
  package func wait<Content>(for signal: BusSignal<Content>, from sender: String) throws(BusError) -> Content {
    try flush()
    while true {
      if let message = awaited.signal(signal, from: sender), let content = try message.content(of: signal) {
        return content
      }
      if let message = awaited.signal(.ownerChanged, from: Self.bus),
        let change = try message.content(of: .ownerChanged), change.name == sender
      {
        throw .peerLeft
      }
      try takeIn()
    }
  }

  /// Has the bus pass on signals that match a rule, and waits until it does.
  ///
  /// - Parameter rule: D-Bus Specification, "Match Rules".
  /// - Throws: ``BusError``; ``BusError/unreachable(reason:)`` if the bus refuses.
  package func listen(for rule: String) throws(BusError) {
    let serial = send(.addMatch(rule), to: Self.bus)
    guard try reply(to: serial).errorName == nil else {
      throw .unreachable(reason: "the session bus passes no signals on")
    }
  }

  /// Drops the messages that have come, without waiting for any; signals among them count.
  ///
  /// The bus passes messages on in the order in which it gets them: a signal that a process has emitted before it
  /// answered another one is here when that one has the answer.
  package func drop() throws(BusError) {
    while try inbox.fillWithWhatIsThere(from: socket) {
      while let message = try receivedMessage() { receive(message) }
    }
  }

  private func flush() throws(BusError) {
    if !outgoing.isEmpty {
      var bytes: [UInt8] = []
      swap(&bytes, &outgoing)
      defer { wipe(&bytes) }
      try socket.send(bytes.span)
    }
    if !isWelcome { try awaitWelcome() }
  }

  /// Keeps the next message, if it is expected.
  private func takeIn() throws(BusError) { receive(try nextMessage()) }

  private func receive(_ message: BusMessage) {
    if message.isSignal { signals &+= 1 }
    awaited.receive(message)
  }

  /// Reads the two lines that accept us (D-Bus Specification, "Authentication Protocol").
  private func awaitWelcome() throws(BusError) {
    for expected in ["DATA", "OK "] {
      guard try nextLine().hasPrefix(expected) else { throw .unreachable(reason: "the session bus refused it") }
    }
    isWelcome = true
  }

  private func nextLine() throws(BusError) -> String {
    while true {
      let (end, count) = try inbox.withBytes { bytes in
        (bytes.indices.first { bytes[$0] == UInt8(ascii: "\n") }, bytes.count)
      }
      if let end {
        return inbox.take(end + 1).withBytes { line in String(decoding: line.indices.map { line[$0] }, as: UTF8.self) }
      }
      guard count < Self.longestLine else { throw .malformed }
      try inbox.fill(from: socket)
    }
  }

  /// The most bytes of a line of the handshake: as many as libdbus takes.
  private static var longestLine: Int { 16 * 1024 }

  private func nextMessage() throws(BusError) -> BusMessage {
    while true {
      if let message = try receivedMessage() { return message }
      try inbox.fill(from: socket)
    }
  }

  /// The next message, if the whole of it has come.
  private func receivedMessage() throws(BusError) -> BusMessage? {
    let (length, received) = try inbox.withBytes { bytes throws(BusError) in
      let isKnown = bytes.count >= BusMessage.prologueCount
      return (isKnown ? try BusMessage.length(of: bytes) : nil, bytes.count)
    }
    if let length, length <= received { return try BusMessage(inbox.take(length)) }
    inbox.reserve(length ?? 0)
    return nil
  }
}

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

/// Bytes that were received and not yet taken; they may hold secrets, and no copy stays unwiped.
@safe final class Inbox {
  private var storage: UnsafeMutableRawBufferPointer
  private var filled = 0

  init() { unsafe storage = .allocate(byteCount: 1 << 14, alignment: 16) }

  deinit { unsafe Self.discard(storage) }

  /// Receives more.
  ///
  /// - Throws: As ``BusSocket/receive(into:)``.
  func fill(from socket: borrowing BusSocket) throws(BusError) {
    reserve(filled + 1)
    filled += try unsafe socket.receive(into: .init(rebasing: storage[filled...]))
  }

  /// Receives the bytes that are there, without waiting; returns whether there were any.
  ///
  /// - Throws: As ``BusSocket/receiveWhatIsThere(into:)``.
  func fillWithWhatIsThere(from socket: borrowing BusSocket) throws(BusError) -> Bool {
    reserve(filled + 1)
    let count = try unsafe socket.receiveWhatIsThere(into: .init(rebasing: storage[filled...]))
    filled += count
    return count > 0
  }

  /// Makes room for a message of so many bytes.
  func reserve(_ count: Int) {
    guard unsafe count > storage.count else { return }
    let larger = unsafe UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 2 * storage.count), alignment: 16)
    unsafe larger.copyMemory(from: .init(rebasing: storage[..<filled]))
    unsafe Self.discard(storage)
    unsafe storage = larger
  }

  /// Lends the bytes that are there.
  func withBytes<Result>(_ body: (Span<UInt8>) throws(BusError) -> Result) throws(BusError) -> Result {
    let bytes = unsafe UnsafeRawBufferPointer(rebasing: storage[..<filled])
    return try unsafe body(Span(_unsafeBytes: bytes))
  }

  /// Takes the first so many bytes out.
  func take(_ count: Int) -> Secret {
    let taken = unsafe Secret(storage[..<count])
    let rest = unsafe UnsafeRawBufferPointer(rebasing: storage[count..<filled])
    unsafe storage.copyMemory(from: rest)
    // A connection may be kept for days, and bytes that were taken must not be kept with it.
    let vacated = unsafe UnsafeMutableRawBufferPointer(rebasing: storage[(filled - count)..<filled])
    if let start = vacated.baseAddress { unsafe explicit_bzero(start, vacated.count) }
    filled -= count
    return taken
  }

  private static func discard(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let start = buffer.baseAddress else { return }
    unsafe explicit_bzero(start, buffer.count)
    unsafe buffer.deallocate()
  }
}
