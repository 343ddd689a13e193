package import AcctPorts

extension SharedStore {
  /// A store on a database of PostgreSQL; nothing is connected before the first call.
  ///
  /// libpq's environment variables and files are honoured where the connection string is silent, but for
  /// those that would weaken the connection: the server is verified (or it is a Unix socket), and a
  /// standby is not asked.
  ///
  /// - Parameter settings: Where it is, and how to get in.
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
