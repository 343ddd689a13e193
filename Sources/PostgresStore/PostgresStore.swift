import AcctModel
import AcctPorts
import CLibPQ
package import FleetPorts
import Glibc
import PrivateFiles
import Secrets
import Synchronization

/// Objects in a table of PostgreSQL.
struct PostgresStore: Sendable {
  private let connections: ConnectionKeeper
  /// The time limit of a call.
  private static let limit = Duration.seconds(5)

  init(_ settings: SharedKeyringSettings.Postgres) { connections = ConnectionKeeper(settings) }

  func end() { connections.end() }

  /// Makes the tables, unless they are there: then the right to make some is not needed.
  func prepare() throws(SharedStoreFailure) {
    let end = ContinuousClock.now + Self.limit
    do throws(Trouble) {
      _ = try read("", until: end)
      return
    } catch {
      guard case .notPrepared = error.failure else { throw error.failure }
    }
    do throws(Trouble) {
      try connections.use(until: end) { connection throws(Trouble) in
        _ = try connection.write(Statements.tables, until: end)
      }
    } catch {
      // Another machine made them at the same moment: a name that was free is taken.
      guard ["23505", "42P07", "42710"].contains(error.state) else { throw error.failure }
    }
    do throws(Trouble) { _ = try read("", until: end) } catch { throw error.failure }
  }

  func get(_ key: String) throws(SharedStoreFailure) -> SharedStore.Reading {
    let end = ContinuousClock.now + Self.limit
    do throws(Trouble) { return try read(key, until: end) } catch { throw error.failure }
  }

  func changes(_ prefix: String, since version: Int64) throws(SharedStoreFailure) -> SharedStore.Changes {
    let end = ContinuousClock.now + Self.limit
    do throws(Trouble) {
      return try repeating(until: end) { connection throws(Trouble) in
        let rows = try connection.read(Statements.changes, [prefix, "\(version)"], until: end)
        let standing = try rows.standing(connection)
        guard let size = rows.integer(0, 5), size <= Statements.answerLimit else {
          throw Trouble(.failed(reason: "the keyring's objects are larger than 64 MiB together"))
        }
        let objects = (0..<rows.count).compactMap { rows.object($0) }
        let keys = (0..<rows.count).compactMap { rows.text($0, 2) }
        return SharedStore.Changes(objects: objects, keys: Set(keys), standing: standing)
      }
    } catch {
      throw error.failure
    }
  }

  func swap(_ key: String, _ bytes: [UInt8]?, ifVersion version: Int64?) throws(SharedStoreFailure) -> Int64? {
    let end = ContinuousClock.now + Self.limit
    let statement = Statements.swap(key, bytes, ifVersion: version)
    do throws(Trouble) {
      return try connections.use(until: end) { connection throws(Trouble) in
        let rows = try connection.write(statement, until: end)
        return rows.text(0, 0).flatMap { Int64($0) }
      }
    } catch {
      guard error.isLost else { throw error.failure }
      // It may have been made: the present object tells. No other swap writes these bytes.
      guard let there = try? read(key, until: end), there.object?.bytes == bytes else { throw error.failure }
      return there.object?.version ?? there.standing.revision
    }
  }

  private func read(_ key: String, until end: ContinuousClock.Instant) throws(Trouble) -> SharedStore.Reading {
    try repeating(until: end) { connection throws(Trouble) in
      let rows = try connection.read(Statements.get, [key], until: end)
      let standing = try rows.standing(connection)
      return SharedStore.Reading(object: rows.object(0), standing: standing)
    }
  }

  /// Reads, and again if the connection breaks meanwhile.
  private func repeating<Result>(
    until end: ContinuousClock.Instant,
    _ body: (Connection) throws(Trouble) -> Result
  ) throws(Trouble) -> Result {
    do { return try connections.use(until: end, body) } catch {
      guard error.isLost else { throw error }
      return try connections.use(until: end, body)
    }
  }
}

/// The columns of ``Statements/get`` and ``Statements/changes``.
extension Rows {
  /// - Throws: ``SharedStoreFailure/notPrepared(reason:)`` if there is no row of the store's.
  fileprivate func standing(_ connection: Connection) throws(Trouble) -> SharedStore.Standing {
    guard let identifier = text(0, 0), let revision = integer(0, 1) else {
      throw Trouble(.notPrepared(reason: "the table \"acct_store\" is empty"))
    }
    let suffix = connection.systemIdentifier.map { "/\($0)" } ?? ""
    return SharedStore.Standing(identifier: identifier + suffix, revision: revision)
  }

  /// The object of a row, if the row has its bytes.
  fileprivate func object(_ row: Int) -> SharedStore.Object? {
    guard let key = text(row, 2), let version = integer(row, 3), let bytes = bytes(row, 4) else { return nil }
    return SharedStore.Object(key: key, bytes: bytes, version: version)
  }
}

extension SharedStore {
  /// A store on a database of PostgreSQL; nothing is connected before the first call.
  ///
  /// libpq's environment variables and files are honoured where the connection string is silent, but for
  /// those that would weaken the connection: the server is verified (or it is a Unix socket), and a
  /// standby is not asked.
  ///
  /// - Parameter settings: The connection string, and the credentials for it.
  /// - Returns: The store; its calls share one connection.
  package static func postgres(_ settings: SharedKeyringSettings.Postgres) -> SharedStore {
    let store = PostgresStore(settings)
    return SharedStore(
      prepare: { () throws(SharedStoreFailure) in try store.prepare() },
      get: { key throws(SharedStoreFailure) in try store.get(key) },
      swap: { key, bytes, version throws(SharedStoreFailure) in try store.swap(key, bytes, ifVersion: version) },
      changes: { prefix, version throws(SharedStoreFailure) in try store.changes(prefix, since: version) },
      end: { store.end() }
    )
  }
}

/// The file with the password of a role.
enum PasswordFile {
  /// Reads a password: the file's first line.
  ///
  /// The file is the user's own, and no other user may read it.
  ///
  /// - Throws: ``SharedStoreFailure/failed(reason:)``.
  static func read(_ path: String) throws(SharedStoreFailure) -> Secret {
    do throws(FileError) {
      var line = try Descriptor.firstLine(of: path, limit: 4096)
      return Secret(consuming: &line)
    } catch {
      throw .failed(reason: "\(printable(path)): \(error.reason)")
    }
  }
}

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

/// A connection string, as far as acct lets it decide.
///
/// Options that libpq would take from the environment instead (`PGHOST`, `PGSSLMODE`, …), or do without, must not
/// weaken the connection: such options are given in full.
struct ConnectionString: Equatable, Sendable {
  /// The options of the string itself, by libpq's names.
  private(set) var options: [String: String]

  /// Parses a string in one of libpq's two forms, words or a URI.
  ///
  /// - Throws: ``SharedStoreFailure``: `untrusted` for an `sslmode` that does not check the server,
  ///   `failed` for a string that is malformed or has a password in it. No reason quotes the string.
  init(parsing text: String, _ library: Library) throws(SharedStoreFailure) {
    var message: UnsafeMutablePointer<CChar>?
    let parsed = unsafe library.call.PQconninfoParse(text, &message)
    // It quotes the string, of which a part may be a password.
    if let message = unsafe message { unsafe library.call.PQfreemem(message) }
    guard let parsed = unsafe parsed else { throw .failed(reason: "the connection string is malformed") }
    defer { unsafe library.call.PQconninfoFree(parsed) }
    options = [:]
    var option = unsafe parsed
    while let name = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val { unsafe options[String(cString: name)] = String(cString: value) }
      unsafe option += 1
    }
    try check()
  }

  private func check() throws(SharedStoreFailure) {
    for name in ["password", "sslpassword"] where options[name] != nil {
      throw .failed(reason: "the connection string contains a password")
    }
    if let mode = options["sslmode"], mode != "verify-full" {
      throw .untrusted(reason: "sslmode=\(printable(mode)) does not verify the server; verify-full does")
    }
  }

  /// The options for libpq for each of the hosts, in their order, without a password.
  ///
  /// libpq itself tries one host after the other, too, but gives each all the time that there is.
  var attempts: [[String: String]] {
    var base = options
    base["sslmode"] = "verify-full"
    // GSSAPI's own encryption would come before TLS, and checks no certificate.
    base["gssencmode"] = "disable"
    base["ssl_min_protocol_version"] = options["ssl_min_protocol_version"] ?? "TLSv1.2"
    // A standby answers with its own state, which may be old.
    base["target_session_attrs"] = "read-write"
    base["application_name"] = "acct"
    base["client_encoding"] = "UTF8"
    // OpenSSL would ask at the terminal for the passphrase of a key that has one; libpq takes "" for none.
    base["sslpassword"] = " "
    let lists = ["host", "hostaddr", "port"].compactMap { name in
      options[name].map { (name, $0.split(separator: ",", omittingEmptySubsequences: false)) }
    }
    let count = lists.filter { $0.0 != "port" }.map(\.1.count).max() ?? 1
    // libpq itself reports lists of different lengths.
    guard count > 1, lists.allSatisfy({ $0.1.count == count || ($0.0 == "port" && $0.1.count == 1) })
    else { return [base] }
    return (0..<count).map { index in
      lists.reduce(into: base) { $0[$1.0] = String($1.1[$1.1.count == 1 ? 0 : index]) }
    }
  }
}
