import AcctModel
import AcctPorts

/// Looks at everything that acct relies on, and mends what can be mended without anybody's help.
///
/// It asks nobody for anything and sends no credential. One check that fails keeps none of the
/// others from being made.
package struct Doctor: Sendable {
  let context: EngineContext
  let repairs: Bool
  let accountStore: AccountStore

  /// Prepares the checks.
  ///
  /// - Parameters:
  ///   - context: Everything outside; no person is asked.
  ///   - repairs: Whether to mend what can be mended.
  package init(_ context: EngineContext, repairs: Bool) {
    var context = context
    context.interaction = .forbidden
    context.timeout = min(context.timeout, 10)
    self.context = context
    self.repairs = repairs
    accountStore = context.accountStore
  }

  /// Makes every check.
  ///
  /// - Parameter askingServers: Whether servers are asked for their time, for 10 seconds at most.
  /// - Returns: What was found, at least one finding for each check.
  package func diagnose(askingServers: Bool) async -> [Finding] {
    // Files first: what others can read must be closed before anything else opens it.
    var findings = files()
    let (keyring, ofKeyring) = await keyring()
    findings += ofKeyring
    if let keyring {
      findings += await items(in: keyring)
      // What keeps every item from being read has been told once.
      if ofKeyring.contains(where: \.isReadyKeyring) { findings += await contents(of: keyring) }
    }
    findings += await accounts()
    findings += await leftovers()
    if askingServers { findings += await clock() }
    return findings
  }
}
