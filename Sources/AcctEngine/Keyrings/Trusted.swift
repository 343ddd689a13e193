package import AcctModel
package import AcctPorts

/// The changes to this machine's accounts when a person accepts an engine as it is.
package struct Trusted: Sendable {
  /// The objects and answers that could not be opened.
  package var unopened: SharedKeyring.Unopened
  /// The accounts that this machine did not have before.
  package var added: [AccountName] = []
  /// The accounts that the engine does not have.
  package var removed: [AccountName] = []
  /// The origins that an account did not have here before, such as one that was revoked, in the order of the names.
  package var origins: [(account: AccountName, origin: Origin)] = []
}

extension Trusted {
  /// Compares the accounts before and after.
  init(unopened: SharedKeyring.Unopened, from before: [Account], to after: [Account]) {
    self.unopened = unopened
    let known = Dictionary(before.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for account in after {
      guard let former = known[account.id] else {
        added.append(account.name)
        continue
      }
      let origins = account.origins.filter { !former.origins.contains($0) }
      self.origins += origins.map { (account.name, $0) }
    }
    let ids = Set(after.map(\.id))
    removed = before.filter { !ids.contains($0.id) }.map(\.name)
  }
}
