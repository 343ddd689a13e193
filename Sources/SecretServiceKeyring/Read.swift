import AcctModel
import AcctPorts
import SessionBus

extension Conversation {
  /// Reads items, in two round trips if all are there and unlocked.
  ///
  /// - Throws: `KeyringFailure`, and `locked` rather than an answer that leaves a locked item out.
  func read(
    _ account: AccountID,
    _ kinds: [ItemKind]
  ) throws(KeyringFailure) -> [ItemKind: Secret] {
    guard !kinds.isEmpty else { return [:] }
    let (session, items) = try locate(account, kinds)
    var wanted: [String: ItemKind] = [:]
    for (kind, paths) in items {
      if let path = try newest(of: paths) { wanted[path] = kind }
    }
    guard !wanted.isEmpty else { return [:] }

    let call = ServiceCalls.secrets(of: Array(wanted.keys), session: session)
    var secrets: [ItemKind: Secret] = [:]
    for (path, secret) in try connection.ask(call) {
      if let kind = wanted[path] { secrets[kind] = secret }
    }
    // Left out is what was locked or removed since the search.
    guard secrets.count == wanted.count else {
      throw .failed(reason: "an item changed while it was being read")
    }
    return secrets
  }

  /// The item that was changed last: an older one was left behind in a former default collection.
  private func newest(of paths: [String]) throws(KeyringFailure) -> String? {
    guard paths.count > 1 else { return paths.first }
    var newest: (path: String, time: UInt64)?
    for (path, time) in zip(paths, try connection.ask(paths.map(ServiceCalls.modified)))
    where time >= newest?.time ?? 0 {
      newest = (path, time)
    }
    return newest?.path
  }
}
