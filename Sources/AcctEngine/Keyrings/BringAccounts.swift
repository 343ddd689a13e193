import AcctModel
import AcctPorts

/// Writes the files of the accounts that a shared keyring has.
struct BringAccounts: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Writes the file of each account of a shared keyring that has none here; returns how many accounts there are.
  func bring(from kind: Keyring.Kind) async throws(EngineError) -> Int {
    guard let accounts = KeyringChoice(context.world).keyring(kind).accounts else { return 0 }
    let changes: SharedChanges
    do { changes = try accounts.fetchAll(context.interaction) } catch {
      throw .keyring(.failed(error, kind))
    }
    var known: Set<AccountID>
    do { known = Set(try context.world.files.accounts()) } catch { throw .files(.failed(error)) }
    known.subtract(changes.records.keys)
    for id in changes.accounts.subtracting(known).sorted(by: { $0.description < $1.description }) {
      try await context.accountStore.exclusively(id) { () throws(EngineError) in
        // Another machine may have changed or removed it meanwhile.
        let record: [UInt8]?
        do throws(KeyringFailure) { record = try accounts.fetch(id, context.interaction) } catch {
          throw .keyring(.failed(error, kind))
        }
        if let record { try save(record, of: id) }
      }
    }
    return changes.accounts.count
  }

  /// Writes the file of an account from its record; the caller holds its lock.
  func save(_ record: [UInt8], of id: AccountID) throws(EngineError) {
    guard context.accountStore.account(id, in: record) != nil else {
      throw .files(.damagedAccount(id))
    }
    do { try context.world.files.replace(.account(id), record) } catch {
      throw .files(.failed(error))
    }
  }
}
