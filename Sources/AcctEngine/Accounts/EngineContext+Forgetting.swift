import AcctModel
import AcctPorts

extension EngineContext {
  /// Deletes an account's file, and its place as the active one.
  func forget(_ id: AccountID) async throws(EngineError) {
    let accountStore = accountStore
    try await accountStore.exclusively { () throws(EngineError) in
      let active = try accountStore.active()
      if active.without(id) != active { try accountStore.setActive(active.without(id)) }
      try await LimitsLedger(world).forget(id) { () throws(EngineError) in try accountStore.delete(id) }
    }
  }
}
