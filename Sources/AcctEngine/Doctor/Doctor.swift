import AcctModel
import AcctPorts

/// Checks everything that acct relies on, and repairs what needs no decision of the user.
///
/// It prompts for nothing and sends no credential. One check that fails does not stop the others.
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
    var findings = files() + fileSystems()
    let (keyring, ofKeyring) = await keyring()
    findings += ofKeyring + moves()
    if let keyring {
      findings += await seal(of: keyring)
      // That the engine can't be asked is told by the check before.
      _ = try? await SharedRecords(in: keyring, context)?.bring()
      findings += sharing(keyring, isReady: ofKeyring.contains(where: \.isReadyKeyring))
      findings += await items(in: keyring)
      // A failure that makes every item unreadable is reported once.
      if ofKeyring.contains(where: \.isReadyKeyring) { findings += await contents(of: keyring) }
      findings += await hardwareKeys(in: keyring)
    }
    findings += await accounts()
    findings += await leftovers()
    findings += protection()
    if askingServers { findings += await clock() }
    return findings
  }
}
