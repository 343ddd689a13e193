import AcctModel
import AcctPorts

/// Accounts of a shared keyring with the same name: only the one that holds the name gets a file here.
///
/// The name's own object on the engine states its account. An account of this machine alone may have the same name:
/// then the two are distinguished by their identifiers.
extension SharedRecords {
  /// The accounts whose name belongs to another account, as the name's own object states.
  func namesakes(in changes: SharedChanges, beside known: Set<AccountID>) throws(EngineError) -> Set<AccountID> {
    guard !changes.records.isEmpty else { return [] }
    var names: [AccountID: AccountName] = [:]
    for (id, record) in changes.records { names[id] = context.accountStore.account(id, in: record)?.name }
    for account in try context.accountStore.listing().accounts {
      if account.keptIn != nil {
        names[account.id] = nil
      } else if changes.accounts.contains(account.id), names[account.id] == nil {
        names[account.id] = account.name
      }
    }
    var namesakes: Set<AccountID> = []
    for (name, ids) in Dictionary(grouping: names.keys, by: { names[$0] }) where ids.count > 1 {
      guard let name else { continue }
      let holder = try holder(of: name, among: ids, known)
      namesakes.formUnion(ids.filter { $0 != holder })
    }
    return namesakes
  }

  /// The account that keeps a name which several have.
  private func holder(
    of name: AccountName,
    among ids: [AccountID],
    _ known: Set<AccountID>
  ) throws(EngineError) -> AccountID? {
    do throws(KeyringFailure) {
      if let id = try accounts.holder(name, context.interaction) { return id }
    } catch {
      throw .keyring(.failed(error, kind))
    }
    return ids.filter(known.contains).min { $0.description < $1.description }
  }

  /// Returns `true` if an account that has a file here keeps the name, and this one was left out before.
  func isNamesake(_ id: AccountID, _ record: [UInt8]) throws(EngineError) -> Bool {
    guard let name = context.accountStore.account(id, in: record)?.name,
      let other = try context.accountStore.account(named: name.description), other.id != id, other.keptIn == nil
    else { return false }
    return try holder(of: name, among: [id, other.id], [other.id]) != id
  }
}
