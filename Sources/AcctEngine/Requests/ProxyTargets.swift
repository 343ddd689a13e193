package import AcctModel

/// Which origins a signing proxy serves, as which account each, and where a request goes that names the
/// proxy itself.
package struct ProxyTargets: Sendable {
  let owners: [Origin: Account]
  /// The origin of a request whose `Host` is the address of the proxy's own port.
  let direct: Origin?

  /// The origins of one account; a request to the proxy's own address goes to the only one.
  package init(of account: Account) {
    owners = account.origins.reduce(into: [:]) { $0[$1] = account }
    direct = account.origins.count == 1 ? account.origins.first : nil
  }

  /// One origin of an account, to which every request goes.
  ///
  /// - Throws: ``AuthorizationError/originRefused(_:account:allowed:)``.
  package init(of account: Account, to origin: Origin) throws(EngineError) {
    guard account.origins.contains(origin) else {
      throw .authorization(
        .originRefused(origin, account: account.name, allowed: Array(account.origins))
      )
    }
    owners = [origin: account]
    direct = origin
  }

  /// The origins of all accounts.
  ///
  /// An origin of two accounts would leave open who makes a request, and the answer could change with
  /// the order of files.
  ///
  /// - Throws: ``SelectionError/originShared(_:_:)``, ``SelectionError/noAccounts``.
  package init(of accounts: [Account]) throws(EngineError) {
    guard !accounts.isEmpty else { throw .selection(.noAccounts) }
    var owners: [Origin: Account] = [:]
    for account in accounts {
      for origin in account.origins {
        if let other = owners.updateValue(account, forKey: origin) {
          throw .selection(.originShared(origin, [other.name, account.name]))
        }
      }
    }
    self.owners = owners
    direct = owners.count == 1 ? owners.keys.first : nil
  }
}
