import AcctEngine
import AcctModel
import AcctPorts

/// Checks everything that acct relies on, and repairs errors that need no decision of the user.
///
/// It prompts for nothing and sends no credential. One check that fails does not stop the others.
struct Doctor: Sendable {
  let context: EngineContext
  let repairs: Bool
  let accountStore: AccountStore

  /// Prepares the checks.
  ///
  /// - Parameters:
  ///   - context: Everything outside; no person is asked.
  ///   - repairs: `true` to repair errors where possible.
  init(_ context: EngineContext, repairs: Bool) {
    var context = context
    context.interaction = .forbidden
    context.timeout = min(context.timeout, 10)
    self.context = context
    self.repairs = repairs
    accountStore = context.accountStore
  }

  /// Makes every check.
  ///
  /// - Parameter askingServers: `true` to ask servers for their time, for 10 seconds at most.
  /// - Returns: The findings, at least one for each check.
  func diagnose(askingServers: Bool) async -> [Finding] {
    // Files first: a file that others can read must be closed before anything else opens it.
    var findings = files() + fileSystems()
    let (keyring, ofKeyring) = await keyring()
    findings += ofKeyring + moves()
    if let keyring {
      findings += await seal(of: keyring)
      // The previous check reports an engine that can't be asked.
      _ = try? await SharedRecords(in: keyring, context)?.pull()
      findings += sharing(keyring, isReady: ofKeyring.contains(where: \.isReadyKeyring))
      findings += await items(in: keyring)
      // A failure that makes every item unreadable is reported once.
      if ofKeyring.contains(where: \.isReadyKeyring) { findings += await contents(of: keyring) }
      findings += await hardwareKeys(in: keyring)
    }
    findings += await accounts(besides: findings)
    findings += await leftovers()
    findings += protection()
    if askingServers { findings += await clock() }
    return findings
  }
}
