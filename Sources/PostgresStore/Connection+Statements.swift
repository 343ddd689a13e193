import AcctPorts
import CLibPQ
import Glibc

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
