import AcctModel
import AcctPorts
import AcctProtocol

/// What speaks against a move out of a shared keyring: all that is in it may be another machine's doing.
extension MovePlan {
  /// Checks each item again before the first write: outside of the shared keyring no rule forbids a key in a device,
  /// and acct loads the module that such a key names.
  ///
  /// - Throws: ``KeyringSharingError/damaged(_:_:)``.
  func checkItems(in source: Keyring, _ context: EngineContext) async throws(EngineError) {
    var names: Set<AccountName> = Set(keptElsewhere.map(\.name))
    for account in accounts {
      guard names.insert(account.name).inserted else { throw .sharing(.damaged(account.name, .nameTaken)) }
      let items: [ItemKind: Secret]
      do { items = try await source.read(account.id, ItemKind.allCases, context.interaction) } catch {
        throw Self.failure(error, of: account.name, source.kind)
      }
      var stored = StoredAccount(account: account, items: items)
      if let second = stored.items.removeValue(forKey: .secondTokens), (try? SecondTokens(second)) == nil {
        throw .sharing(.damaged(account.name, .item(.secondTokens)))
      }
      guard account.keyStorage == .software else { throw .sharing(.damaged(account.name, .keyInDevice)) }
      if let kind = stored.unsoundItem { throw .sharing(.damaged(account.name, .item(kind))) }
    }
  }

  /// The record of an account in a shared keyring; `nil` if it has none.
  ///
  /// - Throws: ``KeyringSharingError/damaged(_:_:)`` for an account that this machine knows by its name.
  func record(of id: AccountID, in keyring: Keyring, _ context: EngineContext) throws(EngineError) -> [UInt8]? {
    do { return try keyring.accounts?.fetch(id, context.interaction) } catch {
      throw Self.failure(error, of: try context.accountStore.account(id)?.name, keyring.kind)
    }
  }

  private static func failure(_ failure: KeyringFailure, of name: AccountName?, _ kind: Keyring.Kind) -> EngineError {
    guard case .damagedAccount(_, let damage) = failure, let name else { return .keyring(.failed(failure, kind)) }
    return .sharing(.damaged(name, damage))
  }
}
