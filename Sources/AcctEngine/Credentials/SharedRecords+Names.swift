import AcctModel
import AcctPorts

/// The accounts of a shared keyring that have the name of another one: only that one is brought here.
///
/// An account of this machine alone keeps its name. Else the name's own object on the engine says whose it is.
extension SharedRecords {
  /// The accounts whose name is another account's, as the name's own object says; one of this machine alone keeps its name.
  func namesakes(
    in changes: SharedChanges,
    beside known: Set<AccountID>
  ) throws(EngineError) -> Set<AccountID> {
    guard !changes.records.isEmpty else { return [] }
    var names: [AccountID: AccountName] = [:]
    var local: Set<AccountID> = []
    for account in try context.accountStore.listing().accounts {
      if account.keptIn != nil { local.insert(account.id) }
      // One that another machine has removed leaves its name free.
      guard account.keptIn != nil || changes.accounts.contains(account.id) else { continue }
      names[account.id] = account.name
    }
    for (id, record) in changes.records where !local.contains(id) {
      names[id] = context.accountStore.account(id, in: record)?.name
    }
    var namesakes: Set<AccountID> = []
    for (name, ids) in Dictionary(grouping: names.keys, by: { names[$0] }) where ids.count > 1 {
      guard let name else { continue }
      let holder = try holder(of: name, among: ids, local, known)
      namesakes.formUnion(ids.filter { $0 != holder && !local.contains($0) })
    }
    return namesakes
  }

  /// The account that keeps a name which several have.
  private func holder(
    of name: AccountName,
    among ids: [AccountID],
    _ local: Set<AccountID>,
    _ known: Set<AccountID>
  ) throws(EngineError) -> AccountID? {
    if let id = ids.first(where: local.contains) { return id }
    do throws(KeyringFailure) {
      if let id = try accounts.holder(name, context.interaction) { return id }
    } catch {
      throw .keyring(.failed(error, kind))
    }
    return ids.filter(known.contains).min { $0.description < $1.description }
  }

  /// `true` if an account that has a file here keeps the name of one that was left out before.
  func isNamesake(_ id: AccountID, _ record: [UInt8]) throws(EngineError) -> Bool {
    guard let name = context.accountStore.account(id, in: record)?.name,
      let other = try context.accountStore.account(named: name.description), other.id != id
    else { return false }
    let local: Set<AccountID> = other.keptIn == nil ? [] : [other.id]
    return try holder(of: name, among: [id, other.id], local, [other.id]) != id
  }
}
