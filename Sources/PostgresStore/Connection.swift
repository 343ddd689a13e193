import AcctModel
package import AcctPorts
import CLibPQ
import Glibc
import Secrets

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

extension Connection {
  /// Sends a statement that only reads, and returns its rows; their values are in binary form.
  ///
  /// The parameters are the values of `$1`, `$2`, ….
  func read(_ statement: String, _ parameters: [String], until end: ContinuousClock.Instant) throws(Trouble) -> Rows {
    try answer(until: end) {
      unsafe withCStrings(parameters) { values in
        unsafe library.call.PQsendQueryParams(handle, statement, Int32(parameters.count), nil, values, nil, nil, 1)
      }
    }
  }

  /// Sends statements that change something, in one transaction, and returns the last one's rows as
  /// text.
  ///
  /// They go in one message, which the server does not begin before it has all of it, and after which
  /// it commits by itself. With parameters there would be five messages, and the last one commits: a
  /// client that is stopped or cut off before that one would leave its locks behind.
  @discardableResult
  func write(_ statements: String, until end: ContinuousClock.Instant) throws(Trouble) -> Rows {
    try answer(until: end) { unsafe library.call.PQsendQuery(handle, statements) }
  }

  private func answer(until end: ContinuousClock.Instant, to send: () -> Int32) throws(Trouble) -> Rows {
    isBusy = true
    guard send() == 1 else { throw broken() }
    while true {
      let left = unsafe library.call.PQflush(handle)
      if left == 0 { break }
      guard left == 1 else { throw broken() }
      // The server may have something to say before it takes more.
      try wait(for: POLLIN | POLLOUT, until: end)
      guard unsafe library.call.PQconsumeInput(handle) == 1 else { throw broken() }
    }
    var last: Rows?
    var failure: Trouble?
    while let result = unsafe try nextResult(until: end) {
      let rows = unsafe Rows(owning: result, library)
      failure = failure ?? rows.failure
      last = rows
    }
    if let failure { throw isOpen ? settled(failure) : failure }
    guard let last, isOpen else { throw broken() }
    isBusy = false
    lastAnswer = .now
    return last
  }

  /// A failure after which the connection remains usable.
  private func settled(_ failure: Trouble) -> Trouble {
    isBusy = failure.isLost
    lastAnswer = .now
    return failure
  }

  private func nextResult(until end: ContinuousClock.Instant) throws(Trouble) -> OpaquePointer? {
    while unsafe library.call.PQisBusy(handle) == 1 {
      try wait(for: POLLIN, until: end)
      // Twice: a record of TLS may be larger than the room that libpq had for it, and poll(2) knows nothing of the
      // bytes that OpenSSL keeps.
      for _ in 0..<2 where unsafe library.call.PQconsumeInput(handle) != 1 { throw broken() }
    }
    return unsafe library.call.PQgetResult(handle)
  }
}

/// libpq, loaded when the first call needs it, and never unloaded.
///
/// Linked, it and its own libraries (OpenSSL, Kerberos, LDAP) would be loaded at every start.
@safe struct Library: @unchecked Sendable {
  /// Function pointers, which never change.
  let call: acct_libpq

  /// - Throws: ``SharedStoreFailure/unavailable(reason:)`` if there is no library that can be used.
  static func loaded() throws(SharedStoreFailure) -> Library { try outcome.get() }

  private static let outcome: Result<Library, SharedStoreFailure> =
    unsafe withUnsafeTemporaryAllocation(of: acct_libpq.self, capacity: 1) { table in
      guard let place = table.baseAddress else { return .failure(.unavailable(reason: "out of memory")) }
      if let missing = unsafe acct_libpq_load(place) {
        return .failure(.unavailable(reason: unsafe String(cString: missing)))
      }
      return unsafe .success(Library(call: place.pointee))
    }
}

/// The answer to a statement.
@safe final class Rows {
  private let library: Library
  private let result: OpaquePointer

  /// Takes a result of libpq's, and frees it in the end.
  init(owning result: OpaquePointer, _ library: Library) {
    unsafe self.result = result
    self.library = library
  }

  deinit { unsafe library.call.PQclear(result) }

  /// The error that it is, if it is one.
  var failure: Trouble? {
    switch unsafe library.call.PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK: return nil
    default:
      let message = field(acct_libpq_message) ?? "the connection broke"
      guard let state = field(acct_libpq_sql_state) else {
        return Trouble(SharedStoreFailure(connecting: message), isLost: true)
      }
      return Trouble(state: state, message: message)
    }
  }

  private func field(_ code: some BinaryInteger) -> String? {
    guard let text = unsafe library.call.PQresultErrorField(result, Int32(code)) else { return nil }
    return unsafe String(cString: text)
  }

  /// The number of rows.
  var count: Int { Int(unsafe library.call.PQntuples(result)) }

  /// A value's bytes; `nil` if there is none.
  func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
    let (row, column) = (Int32(row), Int32(column))
    guard row < count, unsafe library.call.PQgetisnull(result, row, column) == 0,
      let value = unsafe library.call.PQgetvalue(result, row, column)
    else { return nil }
    let length = Int(unsafe library.call.PQgetlength(result, row, column))
    return unsafe Array(UnsafeRawBufferPointer(start: value, count: length))
  }

  /// A value that is text.
  func text(_ row: Int, _ column: Int) -> String? { bytes(row, column).map { String(decoding: $0, as: UTF8.self) } }

  /// A `bigint` in binary form: 8 bytes, the highest first.
  func integer(_ row: Int, _ column: Int) -> Int64? {
    guard let bytes = bytes(row, column), bytes.count == 8 else { return nil }
    return bytes.reduce(0) { $0 << 8 | Int64($1) }
  }
}

/// Why a connection failed to do its work.
struct Trouble: Error, Equatable {
  var failure: SharedStoreFailure
  /// The server's code, such as `42P01`; `nil` if the words are libpq's own.
  var state: String?
  /// `true` if the connection broke during the wait for an answer: the statement may have been carried out.
  var isLost = false

  init(_ failure: SharedStoreFailure, state: String? = nil, isLost: Bool = false) {
    self.failure = failure
    self.state = state
    self.isLost = isLost
  }

  /// An error that the server reports, by its code and its words.
  init(state: String, message: String) {
    self.init(SharedStoreFailure(state: state, message: message), state: state)
    // The server ends this connection, or itself: 57P01 to 57P05 but 57P03 and 57P04, which refuse a new one.
    isLost = state.hasPrefix("08") || ["57P01", "57P02", "57P05"].contains(state)
  }
}

extension SharedStoreFailure {
  /// Translates an error of the server's; `state` is an SQLSTATE of its manual's appendix A.
  package init(state: String, message: String) {
    let reason = shortened(message)
    self =
      switch state {
      // No such table, or one without the columns.
      case "42P01", "42703": .notPrepared(reason: reason)
      // No right to a table, a wrong password, a role that may not log in or is not in pg_hba.conf.
      case "42501", "28P01", "28000": .denied(reason: reason)
      case "53100": .noSpace
      // A standby.
      case "25006": .noQuorum
      // A statement, or its wait for a lock, took longer than allowed.
      case "57014", "55P03": .timedOut
      // Too many connections; it is starting, or going down.
      case "53300", "57P01", "57P02", "57P03", "57P05": .unavailable(reason: reason)
      case _ where state.hasPrefix("08"): .unavailable(reason: reason)
      default: .failed(reason: "\(reason) (\(state))")
      }
  }

  /// Translates libpq's words about a connection that it could not make.
  ///
  /// They are in its verbose form: with the server's code, if it was the server that refused.
  package init(connecting message: String) {
    if let (state, words) = serverError(in: message) {
      self.init(state: state, message: words)
      return
    }
    let lines = message.split(separator: "\n")
    // One for each address of a host; the last one counts.
    let line = lines.last { $0.hasPrefix("connection to server") } ?? lines.first ?? ""
    let reason = shortened(String(line))
    let has = { (parts: [String]) in parts.contains { message.contains($0) } }
    self =
      if has(["session is read-only", "server is in hot standby mode"]) {
        .noQuorum
      } else if has(["private key file"]) {
        .denied(
          reason: has(["bad decrypt", "bad password"])
            ? "\(reason); a key that has a passphrase can't be used" : reason
        )
      } else if has(["no password supplied", " alert "]) {
        .denied(reason: reason)
      } else if has(["SSL SYSCALL error", "closed"]) {
        .unavailable(reason: reason)
      } else if has(["certificate", "SSL", "server signature", "host name must be specified"]) {
        .untrusted(reason: reason)
      } else if has(["channel binding"]) {
        .untrusted(reason: reason)
      } else {
        .unavailable(reason: reason)
      }
  }
}

/// The server's code and words in a message of libpq's, as in `FATAL:  28P01: no such role`.
private func serverError(in message: String) -> (state: String, words: String)? {
  for line in message.split(separator: "\n").reversed() {
    // Only the form counts: the severity before it is in the server's language.
    let parts = Array(line.utf8)
    for index in parts.indices.dropLast(9)
    where parts[index...].starts(with: ":  ".utf8) && parts[(index + 8)...].starts(with: ": ".utf8) {
      let code = parts[(index + 3)..<(index + 8)]
      guard code.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) }) else { continue }
      return (String(decoding: code, as: UTF8.self), String(decoding: parts[(index + 10)...], as: UTF8.self))
    }
  }
  return nil
}

/// The first line of a server's or libpq's message, as it can be shown.
func shortened(_ message: String) -> String {
  let line = message.split(whereSeparator: \.isNewline).first ?? "it does not say why"
  return printable(String(line.prefix(200))) + (line.count > 200 ? "…" : "")
}
