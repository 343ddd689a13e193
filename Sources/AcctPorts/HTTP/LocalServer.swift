import Synchronization

/// An HTTP/1.1 server for programs on this machine.
///
/// A socket in the file system is accessible to the user only; a port is on 127.0.0.1 and nowhere else.
package struct LocalServer: Sendable {
  /// Starts to serve, and returns as soon as connections are accepted.
  ///
  /// Each answer begins on a thread that also serves other connections; see ``sideExecutor``.
  package var serve:
    @Sendable (
      LocalPlace, _ answer: @escaping @Sendable (LocalRequest) async -> LocalResponse
    ) async throws(ListenFailure) -> Serving

  /// The executor for the parts of an answer that could block the thread that it begins on, such as access to a file
  /// or a keyring; `nil` where they may run there.
  package var sideExecutor: (any TaskExecutor)?

  package init(
    sideExecutor: (any TaskExecutor)? = nil,
    serve:
      @escaping @Sendable (
        LocalPlace, _ answer: @escaping @Sendable (LocalRequest) async -> LocalResponse
      ) async throws(ListenFailure) -> Serving
  ) {
    self.sideExecutor = sideExecutor
    self.serve = serve
  }
}

/// A stretch of an event loop's work between two reads of what has come.
///
/// All requests that are answered in one were there when it began. So a question about the moment need be asked once in
/// a turn: its answer is newer than each of them.
package final class LoopTurn: Sendable {
  private let confirmed = Atomic<UInt64>(0)

  package init() {}

  /// Notes that what has this number, which is never 0, is valid in this turn.
  package func confirm(_ number: UInt64) { confirmed.store(number, ordering: .relaxed) }

  /// `true` if that number was the last one to be confirmed.
  package func hasConfirmed(_ number: UInt64) -> Bool { confirmed.load(ordering: .relaxed) == number }
}

/// The address at which a local server listens.
package enum LocalPlace: Equatable, Sendable {
  /// A unix socket of mode 0600; without a path, in acct's own run folder.
  case socket(path: String?)
  /// A TCP port on 127.0.0.1; without a number, a free one.
  case port(Int?)
}

/// A local server at work.
package struct Serving: Sendable {
  /// The address, with the path or the port that was chosen.
  package let place: LocalPlace
  /// Accepts no more connections, ends those that are open, and removes the socket.
  package let stop: @Sendable () async -> Void

  package init(place: LocalPlace, stop: @escaping @Sendable () async -> Void) {
    self.place = place
    self.stop = stop
  }
}

/// A received request, whose body is still to come.
package struct LocalRequest: Sendable {
  package var method: String
  /// The request target, as the request line has it.
  package var target: String
  package var fields: [(name: String, value: String)]
  package var body: ByteSource?
  /// The port that its client has connected to; `nil` on a socket.
  package var port: Int?
  /// The turn in which its head was taken.
  package var turn: LoopTurn

  package init(
    method: String,
    target: String,
    fields: [(name: String, value: String)],
    body: ByteSource?,
    port: Int?,
    turn: LoopTurn = LoopTurn()
  ) {
    self.method = method
    self.target = target
    self.fields = fields
    self.body = body
    self.port = port
    self.turn = turn
  }
}

/// The response to a local request.
package struct LocalResponse: Sendable {
  package var status: Int
  package var fields: [(name: String, value: String)]
  /// `true` if the connection ends with this answer: its client is not authenticated, or the upstream server can't be
  /// relied on to mark the end of its responses.
  package var endsConnection = false
  /// Returns the next part of the body, and `nil` at the end; a failure cuts the connection, so
  /// that the client does not take a part for the whole.
  package var next: @Sendable () async throws(HTTPFailure) -> [UInt8]?

  package init(
    status: Int,
    fields: [(name: String, value: String)],
    endsConnection: Bool = false,
    next: @escaping @Sendable () async throws(HTTPFailure) -> [UInt8]?
  ) {
    self.status = status
    self.fields = fields
    self.endsConnection = endsConnection
    self.next = next
  }
}
