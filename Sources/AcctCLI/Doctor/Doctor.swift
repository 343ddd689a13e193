import AcctConsole
import AcctDevices
import AcctEngine
import AcctFleet
import AcctPorts
import AcctRequests

/// Checks everything that acct relies on, and repairs errors that need no decision of the user.
///
/// It prompts for nothing and sends no credential. A check is a function that returns what it found, in words; the list
/// of them is ``diagnose(askingServers:)``. One that fails does not stop the others.
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
    let (ofFiles, writable) = files()
    var findings = ofFiles + fileSystems()
    let (found, ofKeyring) = await keyring()
    findings += ofKeyring + moves()
    if let found {
      findings += await seal(of: found.keyring)
      // The previous check reports an engine that can't be asked.
      _ = try? await context.place(in: found.keyring)?.pull()
      findings += SharingCheck(context).findings(for: found.keyring.kind, isReady: found.isReady)
      findings += await items(in: found)
      // A failure that makes every item unreadable is reported once.
      if found.isReady { findings += await contents(of: found.keyring) }
      findings += await CheckHardwareKey(context).findings(in: found.keyring)
    }
    findings += await accounts(writable: writable)
    findings += await leftovers()
    findings += ProxyFence.findings(in: context)
    if askingServers { findings += await clock() }
    return findings
  }
}

/// The command that repairs most findings.
let repairLine = "`acct doctor --repair`"
