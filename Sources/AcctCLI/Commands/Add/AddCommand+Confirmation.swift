import AcctEngine
import AcctModel
import AcctPorts

extension AddCommand {
  /// The credentials, once the user has agreed to their identity.
  ///
  /// A backend's callback has no `state`, so any page that the browser visits can bring one, of
  /// another person's sign-in. A named identity has been compared before. If none was named, the
  /// user at the terminal is asked; without one the name is printed after "added".
  ///
  /// - Throws: ``EngineError/cancelled`` if the answer is not yes; nothing is stored then.
  func confirmed(_ credentials: NewCredentials, _ context: Context) throws(EngineError) -> NewCredentials {
    guard identifier == nil, context.interaction == .allowed, context.world.terminal.canAsk()
    else { return credentials }
    let person = words(for: credentials.handle, credentials.did)
    let answer = context.world.terminal.ask("add \(person)? [y/N] ")
    guard ["y", "yes"].contains(answer?.lowercased()) else { throw .cancelled }
    return credentials
  }
}

extension AddCommand {
  /// Ends the session that a new sign-in has replaced, and says so where that fails.
  func revokeReplaced(_ added: AddAccount.Added, by credentials: NewCredentials, _ context: Context) async {
    let replaced = ReplacedSession(context.engine)
    if let notice = await replaced.revoke(added, replacedBy: credentials) { context.report([notice]) }
    if let notice = await RemoveHardwareKey(context.engine).removeReplaced(added, by: credentials) {
      context.report([notice])
    }
  }
}

extension Account {
  /// Handle and DID, for the user to check.
  var person: String { words(for: handle, did) }
}

private func words(for handle: Handle?, _ did: DID?) -> String {
  let known = [handle?.description, did?.description].compactMap(\.self)
  return known.isEmpty ? "an unknown person" : known.joined(separator: ", ")
}
