import AcctModel
import Secrets
package import AcctPorts
import Glibc
import PrivateFiles

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
