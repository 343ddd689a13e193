import AcctConsole
import AcctEngine
import AcctModel
import AcctProtocol

extension Context {
  /// The account whose key belongs into a variable that a service's programs read, as `OPENAI_API_KEY`.
  ///
  /// The active account is a preference, as it is for a URL: where the variable is another service's, the one account of that
  /// service is meant.
  ///
  /// - Parameters:
  ///   - variable: The variable's name.
  ///   - choice: The account that is selected.
  /// - Returns: The account.
  /// - Throws: ``ExecError/otherService(variable:_:owners:)`` if the selected account is a key of another service, and not
  ///   one account is the variable's.
  func owner(of variable: String, insteadOf choice: Selection.Choice) throws(EngineError) -> Account {
    guard choice.selectedBy.isPreference else { return choice.account }
    let services = try Providers(world).entries(keys: true).map(\.provider)
      .filter { $0.key?.variables.contains(variable) ?? false }.map(\.name)
    guard !services.isEmpty, !choice.account.isKey(of: services) else { return choice.account }
    let owners = try AccountOverview(engine).listing().accounts.filter { $0.isKey(of: services) }
    if owners.count == 1, let owner = owners.first {
      notice("using \(owner.name), whose service reads \(variable)")
      chosen.name = owner.name
      return owner
    }
    // What is no service's key, such as a token of one's own server, is the user's to put where they want.
    guard !owners.isEmpty || choice.account.client.provider != nil && choice.account.kind == .static else {
      return choice.account
    }
    throw .exec(.otherService(variable: variable, choice.account.name, owners: owners.map(\.name)))
  }
}

extension Account {
  fileprivate func isKey(of services: [String]) -> Bool {
    guard kind == .static, let typed = client.provider.flatMap({ ProviderName($0) }) else { return false }
    return services.contains(typed.name)
  }
}
