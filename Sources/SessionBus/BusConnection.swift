import Secrets
import Glibc

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
