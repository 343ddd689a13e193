import AcctModel
package import AcctPorts

/// Checks everything that acct relies on, and repairs what needs no decision of the user.
///
/// It prompts for nothing and sends no credential. One check that fails does not stop the others.
package struct Doctor: Sendable {
  let world: World
  let repairs: Bool
  let accountStore: AccountStore

  /// Prepares the checks.
  ///
  /// - Parameters:
  ///   - world: Everything outside.
  ///   - repairs: Whether to repair what can be repaired.
  package init(_ world: World, repairs: Bool) {
    self.world = world
    self.repairs = repairs
    accountStore = AccountStore(world.files)
  }

  /// Makes every check.
  ///
  /// - Parameter timeout: Seconds that a server may take to answer with its time; `nil` asks none.
  /// - Returns: The findings, at least one for each check.
  package func diagnose(askingServersFor timeout: Int?) async -> [Finding] {
    // Files first: files that others can read must be closed before another check opens them.
    var findings = files()
    let (keyring, ofKeyring) = await keyring()
    findings += ofKeyring
    if let keyring {
      findings += await items(in: keyring)
      // A failure that makes every item unreadable is reported once.
      if ofKeyring.contains(where: \.isReadyKeyring) { findings += await contents(of: keyring) }
    }
    findings += await accounts()
    findings += await leftovers()
    if let timeout { findings += await clock(timeout: timeout) }
    return findings
  }
}
