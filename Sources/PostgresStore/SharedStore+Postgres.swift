package import AcctPorts

extension SharedStore {
  /// A store on a database of PostgreSQL; nothing is connected before the first call.
  ///
  /// - Parameter settings: Where it is, and how to get in.
  /// - Returns: The store; its calls share one connection.
  package static func postgres(_ settings: SharedKeyringSettings.Postgres) -> SharedStore {
    let failure = SharedStoreFailure.failed(reason: "not built yet")
    return SharedStore(
      prepare: { () throws(SharedStoreFailure) in throw failure },
      get: { _ throws(SharedStoreFailure) in throw failure },
      swap: { _, _, _ throws(SharedStoreFailure) in throw failure },
      changes: { _, _ throws(SharedStoreFailure) in throw failure }
    )
  }
}
