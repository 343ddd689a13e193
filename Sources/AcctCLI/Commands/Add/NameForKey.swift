import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts

/// The question for a name, where the one that a new key would have is an account's.
struct NameForKey {
  private let context: Context

  init(_ context: Context) { self.context = context }

  /// Chooses the name of a key's account.
  ///
  /// - Parameters:
  ///   - proposed: The name that it has if that is free.
  ///   - isKey: Returns `true` for an account whose key the new one may replace.
  /// - Returns: The name, and whether its account's key is replaced: only where the person has typed that name, and
  ///   confirmed it.
  /// - Throws: ``ProviderKeyError/nameTaken(_:isKey:)`` without a terminal; ``EngineError/cancelled``.
  func choose(
    _ proposed: AccountName,
    _ isKey: (Account) -> Bool
  ) throws(EngineError) -> (AccountName, AddAccount.Replacement) {
    var name = proposed
    while let known = try AccountOverview(context.engine).listing().accounts.first(where: { $0.name == name }) {
      let isKey = isKey(known)
      guard context.canAsk else { throw .provider(.key(.nameTaken(name, isKey: isKey))) }
      let replacing = isKey ? "; `\(acctLine("login", name.description))` replaces its key" : ""
      context.world.report("acct: there is an account \(name) already\(replacing)")
      guard let answer = context.world.terminal.ask("a name for this one: ")?.trimmed else { throw .cancelled }
      guard !answer.isEmpty, let given = try? AccountName(answer) else { continue }
      let typed = try parseName(given.description)
      if isKey, typed == name, context.world.terminal.asksYes("replace the key of \(name)? [y/N] ") {
        return (name, .forced)
      }
      name = typed
    }
    return (name, .never)
  }
}
