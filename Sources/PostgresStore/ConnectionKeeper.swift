import Secrets
import AcctPorts
import Synchronization

/// The connection that a process keeps between calls.
///
/// A call that comes while another has it opens one of its own: no call waits for another's deadline.
final class ConnectionKeeper: Sendable {
  private struct State {
    var kept: Connection?
    /// The host that answered last, by its place in the string: it is tried first.
    var host = 0
    /// Until then calls that have to connect fail at once, since the last one that did got no host's answer.
    var silentUntil: ContinuousClock.Instant?
  }

  /// How long no call connects after a silence.
  ///
  /// A command makes several calls in a row, and one wait for a connection is enough. A kept connection that says nothing
  /// proves less: it may be broken, and is made anew.
  private static let pause = Duration.seconds(2)

  private let settings: SharedKeyringSettings.Postgres
  private let state = Mutex(State())

  init(_ settings: SharedKeyringSettings.Postgres) { self.settings = settings }

  /// Ends the connection; the next call makes another.
  func end() { state.withLock { $0.kept = nil } }

  /// Lends a connection, which is kept if it is usable afterwards.
  ///
  /// - Throws: ``Trouble``; that of `body` included.
  func use<Result>(
    until end: ContinuousClock.Instant,
    _ body: (Connection) throws(Trouble) -> Result
  ) throws(Trouble) -> Result {
    let connection: Connection
    if let kept = state.withLock({ $0.kept.take() }), kept.isUsable {
      connection = kept
    } else {
      if let silentUntil = state.withLock({ $0.silentUntil }), .now < silentUntil { throw Trouble(.timedOut) }
      connection = try connect(until: end)
    }
    defer { keep(connection) }
    do { return try body(connection) } catch {
      // A host that does not answer any more must not be asked first again.
      if error.failure == .timedOut || error.isLost { state.withLock { $0.host += 1 } }
      throw error
    }
  }

  private func keep(_ connection: Connection) {
    guard connection.isUsable else { return }
    // The one that is replaced ends outside of the lock.
    _ = state.withLock { state in
      let other = state.kept
      (state.kept, state.silentUntil) = (connection, nil)
      return other
    }
  }

  /// Tries one host after the other; each gets its share of the time that is left.
  private func connect(until end: ContinuousClock.Instant) throws(Trouble) -> Connection {
    let attempts: [[String: String]]
    let password: Secret?
    let library: Library
    do {
      library = try Library.loaded()
      attempts = try ConnectionString(parsing: settings.connection, library).attempts
      password = try settings.passwordFile.map(PasswordFile.read)
    } catch {
      throw Trouble(error)
    }
    let first = state.withLock { $0.host }
    var failure = Trouble(.timedOut)
    var isSilent = true
    for turn in attempts.indices {
      let host = (first + turn) % attempts.count
      let now = ContinuousClock.now
      let share = now + now.duration(to: end) / (attempts.count - turn)
      do {
        let connection = try Connection(attempts[host], password: password, until: share, library)
        state.withLock { $0.host = host }
        return connection
      } catch {
        isSilent = isSilent && error.isSilence
        // The failure of a host that answers says more than that of one that does not.
        if turn == 0 || failure.failure.isSilence { failure = error }
      }
    }
    if isSilent { state.withLock { $0.silentUntil = .now + Self.pause } }
    throw failure
  }
}

extension Trouble {
  /// `true` if the wait for an answer was as long as it may be; a server's own time limit has a code.
  fileprivate var isSilence: Bool { failure == .timedOut && state == nil }
}

extension SharedStoreFailure {
  /// `true` if no server answered.
  fileprivate var isSilence: Bool {
    switch self {
    case .unavailable, .timedOut: true
    case .noQuorum, .noSpace, .denied, .readOnly, .untrusted, .notPrepared, .failed: false
    }
  }
}
