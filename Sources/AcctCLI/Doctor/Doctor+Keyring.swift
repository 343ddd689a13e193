import AcctEngine
import AcctModel
import AcctPorts
import AcctConsole

extension Doctor {
  /// The keyring in use, as the check of it has found it.
  struct FoundKeyring: Sendable {
    let keyring: Keyring
    /// `true` if it is there and unlocked.
    let isReady: Bool
    /// Its parts that are locked beside it.
    let lockedParts: Result<[Keyring.LockedPart], KeyringFailure>
  }

  /// Checks which keyring is in use, and that it can be used; never prompts to unlock it.
  func keyring() async -> (FoundKeyring?, [Finding]) {
    var findings: [Finding] = []
    let keyring: Keyring
    do throws(EngineError) {
      keyring = try KeyringChoice(context.world).decided()
    } catch .keyring(.notChosen) {
      let (found, finding) = await lostDecision()
      guard let found, finding.isRepaired else { return (nil, [finding]) }
      findings.append(finding)
      keyring = found
    } catch {
      var message = ErrorMessage(error)
      if case .keyring(.unknown) = error { message.code = "keyringUnknown" }
      return (nil, [Finding(message)])
    }
    let kind = keyring.kind
    if let decided = (try? KeyringChoice(context.world).recorded())?.kind, decided != kind {
      findings.append(
        Finding(
          .warning,
          "keyringOverridden",
          "ACCT_KEYRING says \(kind.rawValue), and accounts were added to \(decided.rawValue)",
          fix: "unset ACCT_KEYRING"
        )
      )
    }
    var isReady = false
    do throws(KeyringFailure) {
      isReady = try await isUsable(keyring)
      let message =
        isReady
        ? "the keyring (\(kind.rawValue)) is available and unlocked"
        : "there is no vault yet; the first `acct add` creates it"
      findings.append(Finding(.ok, "keyring", message))
    } catch {
      findings.append(Finding(error, kind))
    }
    let accounts = (try? accountStore.listing().accounts) ?? []
    let parts: Result<[Keyring.LockedPart], KeyringFailure>
    do { parts = .success(try await keyring.lockedParts(accounts.map(\.id))) } catch { parts = .failure(error) }
    if case .success(let parts) = parts { findings += parts.map { locked($0, accounts) } }
    return (FoundKeyring(keyring: keyring, isReady: isReady, lockedParts: parts), findings)
  }

  /// Returns `false` for a vault that is still to be created, which needs no unlocking.
  ///
  /// - Throws: Why the keyring can't be used. A state has no reason; an attempt has one.
  private func isUsable(_ keyring: Keyring) async throws(KeyringFailure) -> Bool {
    let isVault = keyring.kind == .vault
    switch await keyring.state() {
    case .ready: return isVault ? try context.world.vault.isThere() : true
    case .locked where isVault:
      _ = try await context.world.vault.unlock(.forbidden)
      return true
    case .locked:
      try await keyring.prepare(.forbidden)
      throw .locked()
    case .unavailable:
      // The reason comes from the attempt to read an item that does not exist.
      _ = try await keyring.read(context.world.entropy.accountID(), [.handle], .forbidden)
      throw .unavailable(reason: "")
    }
  }

  /// A part of the keyring is locked.
  private func locked(_ part: Keyring.LockedPart, _ accounts: [Account]) -> Finding {
    let names = accounts.filter { part.accounts.contains($0.id) }.map(\.name)
    return Finding(
      .warning,
      "keyringPartLocked",
      "the collection \(printable(part.name)) of the keyring is locked, which has the items of "
        + names.map(\.description).joined(separator: ", "),
      fix: "`acct keyring unlock` on its desktop; if its password is lost: "
        + names.map { loginHint($0) }.joined(separator: ", ")
    )
  }

  /// Finds the keyring that holds the accounts if no valid choice is recorded.
  private func lostDecision() async -> (Keyring?, Finding) {
    let accounts: Set<AccountID>
    let isThere: Bool
    do {
      accounts = Set(try context.world.files.accounts())
      isThere = try context.world.files.read(.keyringDecision) != nil
    } catch {
      return (nil, Finding(ErrorMessage(error)))
    }
    guard isThere || !accounts.isEmpty else {
      return (nil, Finding(.ok, "keyring", "no keyring has been chosen yet; the first `acct add` chooses one"))
    }
    for keyring in [context.world.secretService, context.world.vaultKeyring] {
      guard let listed = try? await keyring.list(), listed.keys.contains(where: accounts.contains) else { continue }
      let finding = Finding(
        .problem,
        "keyringDecision",
        "no record says which keyring has the accounts; it is \(keyring.kind.rawValue)",
        fix: repairLine
      )
      return (keyring, finding.repaired(record(keyring)))
    }
    let finding = Finding(
      .problem,
      "keyringDecision",
      "no record says which keyring has the accounts, and none lists them",
      fix: "unlock the keyring, or set ACCT_KEYRING to secret-service or vault"
    )
    return (nil, finding)
  }

  private func record(_ keyring: Keyring) -> Bool {
    guard repairs else { return false }
    do {
      try context.world.files.replace(.keyringDecision, Array("\(keyring.kind.rawValue)\n".utf8))
    } catch {
      return false
    }
    return true
  }

  /// Checks for an interrupted move between keyrings.
  func moves() -> [Finding] {
    guard let decision = try? KeyringChoice(context.world).recorded(), let move = decision.move else { return [] }
    let (target, message) =
      switch move {
      case .to(let kind):
        (kind, "a move to \(kind.rawValue) was interrupted; the accounts are in \(decision.kind.rawValue)")
      case .from(let kind):
        (
          decision.kind,
          "the accounts were moved to \(decision.kind.rawValue), and some are in \(kind.rawValue), too"
        )
      }
    return [Finding(.warning, "moveInterrupted", message, fix: "`acct keyring move \(target.rawValue)`")]
  }
}
