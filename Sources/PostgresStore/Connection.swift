import Secrets
import AcctPorts
import CLibPQ
import Glibc

/// A connection to a server of PostgreSQL, used by one call at a time; it ends when it is released.
///
/// Nothing here waits without a deadline: libpq sends and receives as much as the socket has room for, and poll(2)
/// waits for more.
@safe final class Connection: @unchecked Sendable {
  let library: Library
  let handle: OpaquePointer
  /// `true` if an answer is outstanding, so that nothing else may be asked.
  var isBusy = false
  /// The cluster's own number, if the role may know it.
  private(set) var systemIdentifier: String?
  /// When it last answered.
  var lastAnswer = ContinuousClock.now

  /// Connects to one host, until `end` at the latest.
  ///
  /// The options have libpq's names; libpq keeps a copy of the password until the connection ends.
  init(
    _ options: [String: String],
    password: Secret?,
    until end: ContinuousClock.Instant,
    _ library: Library
  ) throws(Trouble) {
    self.library = library
    guard let handle = unsafe begin(options, password, library) else {
      throw Trouble(.unavailable(reason: "out of memory"))
    }
    unsafe self.handle = handle
    unsafe acct_libpq_silence([library.call], handle)
    // The server's code is in libpq's words then, and nowhere else while there is no connection.
    _ = unsafe library.call.PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
    try connect(until: end)
    _ = unsafe library.call.PQsetnonblocking(handle, 1)
    try prepareSession(until: end)
  }

  deinit { unsafe library.call.PQfinish(handle) }

  /// `true` if it can be used again: nothing is outstanding, and the server has not hung up.
  ///
  /// After a minute it is not trusted: a device in between may have forgotten it, and would drop all packets without
  /// an error until the deadline.
  var isUsable: Bool {
    guard !isBusy, lastAnswer.duration(to: .now) < .seconds(60), isOpen else { return false }
    var request = pollfd(fd: unsafe library.call.PQsocket(handle), events: Int16(POLLIN), revents: 0)
    // Nothing was asked: any bytes are the server's last message.
    return unsafe poll(&request, 1, 0) == 0
  }

  var isOpen: Bool { unsafe library.call.PQstatus(handle) == CONNECTION_OK }

  /// libpq's failure for a connection that broke.
  func broken() -> Trouble { Trouble(SharedStoreFailure(connecting: words), isLost: true) }

  private var words: String {
    guard let words = unsafe library.call.PQerrorMessage(handle) else { return "" }
    return unsafe String(cString: words)
  }

  private func connect(until end: ContinuousClock.Instant) throws(Trouble) {
    // libpq's documentation has the caller begin in this state, before the first poll.
    var next = PGRES_POLLING_WRITING
    while true {
      switch next {
      case PGRES_POLLING_OK: return
      case PGRES_POLLING_READING: try wait(for: POLLIN, until: end)
      case PGRES_POLLING_WRITING: if unsafe library.call.PQsocket(handle) >= 0 { try wait(for: POLLOUT, until: end) }
      default: throw Trouble(SharedStoreFailure(connecting: words))
      }
      next = unsafe library.call.PQconnectPoll(handle)
    }
  }

  /// Waits for the socket.
  ///
  /// - Throws: ``SharedStoreFailure/timedOut``.
  func wait(for events: Int32, until end: ContinuousClock.Instant) throws(Trouble) {
    let socket = unsafe library.call.PQsocket(handle)
    // It may be closed; the next call reports that.
    guard socket >= 0 else { return }
    var request = pollfd(fd: socket, events: Int16(events), revents: 0)
    while true {
      let left = ContinuousClock.now.duration(to: end)
      guard left > .zero else { throw Trouble(.timedOut) }
      // Rounded up: it would ask again and again in the last millisecond.
      let ready = unsafe poll(&request, 1, Int32(left / .milliseconds(1)) + 1)
      if ready > 0 || (ready < 0 && errno != EINTR) { return }
    }
  }

  /// Makes the session's settings those that acct relies on, in place of the role's or the database's.
  private func prepareSession(until end: ContinuousClock.Instant) throws(Trouble) {
    do {
      let rows = try write(Statements.session + Statements.systemIdentifier, until: end)
      systemIdentifier = rows.text(0, 0)
    } catch {
      guard error.state == "42501" else { throw error }
      try write(Statements.session, until: end)
    }
  }
}

/// Begins to connect; returns `nil` if there is no memory.
///
/// The password is in no `String`, whose copies could not be wiped; libpq wipes its own copy when the
/// connection ends.
func begin(_ options: [String: String], _ password: Secret?, _ library: Library) -> OpaquePointer? {
  var options = options
  // A value that is not empty keeps the variable out. Older poolers refuse the option: only where needed.
  if options["options"] == nil, unsafe getenv("PGOPTIONS") != nil { options["options"] = " " }
  let names = Array(options.keys)
  // An empty value is none to libpq.
  var secret: [UInt8] = []
  secret.reserveCapacity((password?.count ?? 0) + 1)
  password?.withBytes { bytes in for index in bytes.indices { secret.append(bytes[index]) } }
  secret.append(0)
  defer { wipe(&secret) }
  return unsafe withCStrings(names + ["password"]) { keywords in
    unsafe withCStrings(names.map { options[$0] ?? "" }) { values in
      unsafe secret.withUnsafeBytes { secret in
        let last = unsafe secret.baseAddress?.assumingMemoryBound(to: CChar.self)
        // Both end with a null; the password goes before it.
        let all = unsafe values.dropLast() + [last, nil]
        return unsafe library.call.PQconnectStartParams(keywords, Array(all), 0)
      }
    }
  }
}

/// Lends strings as C wants them: an array of pointers that ends with a null.
func withCStrings<Result>(_ strings: [String], _ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
  let copies = unsafe strings.map { unsafe strdup($0) }
  defer { unsafe copies.forEach { unsafe free($0) } }
  return unsafe body(copies.map { unsafe UnsafePointer($0) } + [nil])
}
