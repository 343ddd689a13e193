import AcctModel
import AcctPorts

/// The accounts of a move, and where each lies.
///
/// ``MoveSurvey`` makes it.
struct MovePlan: Sendable {
  /// The accounts of the source, by name.
  var accounts: [Account] = []
  /// The records of the accounts that a shared target has already.
  var inTarget: [AccountID: [UInt8]] = [:]
  /// Accounts of this machine's files that a shared source does not have any more.
  var removedElsewhere: [AccountID] = []
  /// Accounts with a keyring of their own, which is not the source.
  var keptElsewhere: [Account] = []

  /// `true` if no account has been added to this machine's files since; the caller holds the book's lock.
  func isWhole(_ context: EngineContext) throws(EngineError) -> Bool {
    let known = Set(accounts.map(\.id)).union(removedElsewhere).union(keptElsewhere.map(\.id))
    return try context.world.accountIDs().isSubset(of: known)
  }

  /// Returns the plan with the move in the histories of its accounts.
  func noted(by context: EngineContext) -> MovePlan {
    var plan = self
    for index in plan.accounts.indices { context.note(.moved, of: &plan.accounts[index]) }
    return plan
  }

  /// Checks that a shared keyring can take all accounts beside those that it has.
  ///
  /// - Throws: ``KeyringSharingError``, ``InputTokenError/local(_:)``.
  func requireFit(_ accountStore: AccountStore) throws(EngineError) {
    let guests = accounts.filter { $0.kind == .guest }.map(\.name)
    guard guests.isEmpty else { throw .sharing(.guests(guests)) }
    let inDevices = accounts.filter { $0.deviceStorage != nil }.map(\.name)
    guard inDevices.isEmpty else { throw .sharing(.keysInDevices(inDevices)) }
    if let account = accounts.first(where: \.client.hasInputs) { throw .inputToken(.local(account.name)) }
    var owners: [AccountName: AccountID] = [:]
    var others: [AccountName] = []
    for (id, record) in inTarget {
      guard let known = accountStore.account(id, in: record) else { throw .files(.damagedAccount(id)) }
      owners[known.name] = id
      if let account = accounts.first(where: { $0.id == id }), !account.isSame(as: known) {
        others.append(account.name)
      }
    }
    guard others.isEmpty else { throw .sharing(.otherIdentities(others)) }
    let taken = (accounts + keptElsewhere).filter { account in owners[account.name].map { $0 != account.id } ?? false }
    guard taken.isEmpty else { throw .sharing(.namesTaken(taken.map(\.name))) }
  }
}

extension World {
  /// The identifiers of this machine's account files.
  func accountIDs() throws(EngineError) -> Set<AccountID> {
    do { return Set(try files.accounts()) } catch { throw .files(.failed(error)) }
  }
}

extension Account {
  /// `true` if both, which have one identifier, are of one identity at one server.
  fileprivate func isSame(as other: Account) -> Bool {
    kind == other.kind && tokenType == other.tokenType && identity == other.identity && service == other.service
  }
}
