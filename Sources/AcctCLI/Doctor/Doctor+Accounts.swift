import AcctEngine
import AcctModel
import AcctPorts
import AcctConsole

extension Doctor {
  /// The age, in seconds, from which on a renewal counts as interrupted.
  private static let renewing: Int64 = 600

  /// Checks that the accounts' files can be read, and that the active account exists.
  ///
  /// - Parameter writable: What others can change, which is a finding of the files, with the line that mends all of it.
  /// - Returns: The findings.
  func accounts(writable: [String]) async -> [Finding] {
    let listing: (accounts: [Account], damaged: [AccountID])
    do throws(EngineError) { listing = try accountStore.listing() } catch {
      if case .files(.failed(.unsafe(let path, _))) = error, writable.contains(path) { return [] }
      return [Finding(ErrorMessage(error))]
    }
    // Wrong modes are a finding of the files.
    var findings = context.skipped(listing.damaged).filter { !$0.hasWrongMode }.map(skipped)
    if listing.damaged.isEmpty {
      findings.append(Finding(.ok, "accounts", "every account's file can be read (\(listing.accounts.count))"))
    }
    let now = context.world.clock.now()
    findings += listing.accounts.compactMap { interruptedRenewal(of: $0, at: now) }
    for account in listing.accounts { findings += ends(of: account, at: now) }
    for account in listing.accounts where account.incoming != nil {
      if let finding = await replacement(of: account) { findings.append(finding) }
    }
    if let finding = await active() { findings.append(finding) }
    return findings
  }

  private func skipped(_ skipped: SkippedAccount) -> Finding {
    var message = ErrorMessage(skipped)
    if skipped.flaw == .damaged { message.hint? += "; `acct remove \(skipped.id)` removes it" }
    return Finding(message)
  }

  private func interruptedRenewal(of account: Account, at now: Timestamp) -> Finding? {
    guard let age = account.renewalStartedAt.map(now.seconds(since:)), age > Self.renewing else { return nil }
    let name = account.name
    return Finding(
      .warning,
      "interruptedRenewal",
      account.marks.contains(.answered)
        ? "a renewal of \(name) got an answer that could not be stored, \(duration(age)) ago"
        : "a renewal of \(name) was interrupted \(duration(age)) ago",
      fix: "`\(acctLine("refresh", name.description))`"
    )
  }

  /// Reports what ends soon, and an account that only a new sign-in makes usable.
  private func ends(of account: Account, at now: Timestamp) -> [Finding] {
    var findings: [Finding] = []
    if case .certificateEnds(let name, let seconds)? = account.certificateWarning(at: now) {
      let message = "the client certificate of \(name) ends in \(duration(seconds))"
      let fix = "with a new one, `\(loginLine(name, certificateOptions))`"
      findings.append(Finding(.warning, "certificateEnds", message, fix: fix))
    }
    switch account.sessionWarning(at: now) {
    case .sessionEnds(let name, let seconds)?:
      let message = "the session of \(name) ends in \(duration(seconds))"
      findings.append(Finding(.warning, "sessionEnds", message, fix: loginHint(name)))
    case .tokenEnds(let replacement, let seconds)?:
      let message = "the token of \(replacement.account) expires in \(duration(seconds))"
      findings.append(Finding(.warning, "tokenEnds", message, fix: remedy(for: replacement)))
    default: break
    }
    let assessment = account.lastKnownState(at: now)
    if assessment.needsPerson { findings.append(Finding(ErrorMessage(account.stateError(assessment)))) }
    return findings
  }

  /// Reports a replacement of credentials that no process continues (it would hold the lock), and finishes it.
  private func replacement(of account: Account) async -> Finding? {
    let lock = Lock.account(account.id)
    func interrupted(_ name: AccountName) -> Finding {
      let message = "new credentials of \(name) were only partly stored; it still works"
      return Finding(.warning, "interruptedReplacement", message, fix: repairLine)
    }
    do throws(EngineError) {
      return try await context.world.files.withLock(lock, waiting: 0, failure: { .files(.failed($0)) }) {
        () throws(EngineError) -> Finding? in
        guard let current = try accountStore.account(account.id), current.incoming != nil else { return nil }
        if repairs { _ = try await ReplaceCredentials(context).settled(current) }
        return interrupted(current.name).repaired(repairs)
      }
    } catch .files(.failed(.busy)) {
      return nil
    } catch .keyring(.failed) {
      // The failure of the keyring has been reported.
      return interrupted(account.name)
    } catch {
      return Finding(ErrorMessage(error))
    }
  }

  /// Checks that the active account exists; a damaged one does, and is reported as such.
  private func active() async -> Finding? {
    do throws(EngineError) {
      guard let id = try goneActive() else { return nil }
      guard repairs else { return gone(id) }
      return try await accountStore.exclusively { () throws(EngineError) -> Finding? in
        // Read again under the lock: another process may just have added it.
        guard let id = try goneActive() else { return nil }
        try accountStore.setActive(try accountStore.active().without(id))
        return gone(id).repaired(true, next: "`acct switch NAME` makes one active")
      }
    } catch {
      return Finding(ErrorMessage(error))
    }
  }

  private func gone(_ id: AccountID) -> Finding {
    Finding(
      .problem,
      "activeGone",
      "the active account \(id) does not exist",
      fix: "`acct switch NAME`, or \(repairLine)"
    )
  }

  private func goneActive() throws(EngineError) -> AccountID? {
    guard let id = try accountStore.active().current else { return nil }
    do throws(FilesFailure) { return try context.world.files.read(.account(id)) == nil ? id : nil } catch {
      // It is there, and a finding of its own.
      if case .unsafe = error { return nil }
      throw .files(.failed(error))
    }
  }
}
