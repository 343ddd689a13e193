import AcctEngine
import AcctModel
import AcctPorts

extension Doctor {
  /// The age, in seconds, from which on a renewal counts as interrupted.
  private static let renewing: Int64 = 600

  /// Checks that the accounts' files can be read, and that the active account exists.
  func accounts(besides told: [Finding]) async -> [Finding] {
    let listing: (accounts: [Account], damaged: [AccountID])
    do throws(EngineError) { listing = try accountStore.listing() } catch {
      // A folder that others can change is a finding of the files, with the line that mends all of them.
      if case .files(.failed(.unsafe(let path, _))) = error, told.contains(where: { $0.isWritable(path) }) { return [] }
      return [Finding(.failed(error))]
    }
    // Wrong modes are a finding of the files.
    let skipped = context.skipped(listing.damaged).filter { !$0.hasWrongMode }
    var findings = skipped.map { Finding(.skippedAccount($0)) }
    if listing.damaged.isEmpty { findings.append(Finding(.accountsReadable(count: listing.accounts.count))) }
    let now = context.world.clock.now()
    for account in listing.accounts {
      guard let started = account.renewalStartedAt else { continue }
      let age = now.seconds(since: started)
      guard age > Self.renewing else { continue }
      let wasAnswered = account.marks.contains(.answered)
      findings.append(Finding(.interruptedRenewal(account.name, secondsAgo: age, wasAnswered: wasAnswered)))
    }
    for account in listing.accounts {
      let assessment = account.lastKnownState(at: now)
      if case .certificateEnds(let name, let seconds)? = account.certificateWarning(at: now) {
        findings.append(Finding(.certificateEnds(name, inSeconds: seconds)))
      }
      if case .sessionEnds(let name, let seconds)? = account.sessionWarning(at: now) {
        findings.append(Finding(.sessionEnds(name, inSeconds: seconds)))
      }
      if assessment.needsPerson { findings.append(Finding(.loginNeeded(account.stateError(assessment)))) }
    }
    for account in listing.accounts where account.incoming != nil {
      if let finding = await replacement(of: account) { findings.append(finding) }
    }
    if let finding = await active() { findings.append(finding) }
    return findings
  }

  /// Reports a replacement of credentials that no process continues (it would hold the lock), and finishes it.
  private func replacement(of account: Account) async -> Finding? {
    let lock = Lock.account(account.id)
    do throws(EngineError) {
      return try await context.world.files.withLock(lock, waiting: 0, failure: { .files(.failed($0)) }) {
        () throws(EngineError) -> Finding? in
        guard let current = try accountStore.account(account.id), current.incoming != nil else { return nil }
        if repairs { _ = try await ReplaceCredentials(context).settled(current) }
        return Finding(.interruptedReplacement(current.name), isRepaired: repairs)
      }
    } catch .files(.failed(.busy)) {
      return nil
    } catch .keyring(.failed) {
      // The failure of the keyring has been reported.
      return Finding(.interruptedReplacement(account.name))
    } catch {
      return Finding(.failed(error))
    }
  }

  /// Checks that the active account exists; a damaged one does, and is reported as such.
  private func active() async -> Finding? {
    do throws(EngineError) {
      guard let id = try goneActive() else { return nil }
      guard repairs else { return Finding(.activeGone(id)) }
      return try await accountStore.exclusively { () throws(EngineError) -> Finding? in
        // Read again under the lock: another process may just have added it.
        guard let id = try goneActive() else { return nil }
        try accountStore.setActive(try accountStore.active().without(id))
        return Finding(.activeGone(id), isRepaired: true)
      }
    } catch {
      return Finding(.failed(error))
    }
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

extension Doctor {
  /// Checks that every item of every account can be read, and is of the form that acct writes.
  ///
  /// Another check reports a keyring that is locked or becomes unavailable.
  func contents(of keyring: Keyring) async -> [Finding] {
    // The checks of accounts and items report a failure to list those.
    guard let accounts = try? accountStore.listing().accounts, let listed = try? await keyring.list() else { return [] }
    var findings: [Finding] = []
    for account in accounts {
      let kinds = ItemKind.allCases.filter { listed[account.id]?.contains($0) ?? false }
      for kind in kinds {
        do throws(EngineError) {
          try await CredentialStore(of: account, in: keyring, context).check(kind)
        } catch .keyring(.damagedItem) {
          findings.append(Finding(.damagedItem(kind, of: account.name, reason: nil)))
        } catch .keyring(.failed(.failed(let reason), _)) {
          findings.append(Finding(.damagedItem(kind, of: account.name, reason: reason)))
        } catch {
          return findings
        }
      }
    }
    return findings
  }
}

extension Finding {
  /// `true` if the finding is that the keyring can be read.
  var isReadyKeyring: Bool { if case .keyringReady = subject { true } else { false } }
}
