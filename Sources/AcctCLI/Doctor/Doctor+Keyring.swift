import AcctEngine
import AcctModel
import AcctPorts

extension Doctor {
  /// Checks which keyring is in use, and that it can be used; never prompts to unlock it.
  func keyring() async -> (Keyring?, [Finding]) {
    var findings: [Finding] = []
    let keyring: Keyring
    do throws(EngineError) {
      keyring = try KeyringChoice(context.world).decided()
    } catch .keyring(.notChosen) {
      let (found, finding) = await lostDecision()
      guard let found, finding.isRepaired else { return (nil, [finding]) }
      findings.append(finding)
      keyring = found
    } catch .keyring(.unknown(let text)) {
      return (nil, [Finding(.unknownKeyring(text))])
    } catch {
      return (nil, [Finding(.failed(error))])
    }
    if let decided = decision, decided != keyring.kind {
      findings.append(Finding(.keyringOverridden(by: keyring.kind, decided: decided)))
    }
    findings.append(await condition(of: keyring))
    for part in await KeyringReport.lockedParts(of: keyring, context) {
      findings.append(Finding(.keyringPartLocked(part.name, accounts: part.accounts)))
    }
    return (keyring, findings)
  }

  private func condition(of keyring: Keyring) async -> Finding {
    switch await keyring.state() {
    case .ready:
      do {
        // A vault that is still to be created needs no unlocking, and so is ready.
        if keyring.kind == .vault, try !context.world.vault.isThere() { return Finding(.noVault) }
      } catch {
        return Finding(.keyring(error, .vault))
      }
      return Finding(.keyringReady(keyring.kind))
    case .locked:
      // A state has no reason; an attempt returns one, such as a file with a wrong passphrase.
      guard keyring.kind == .vault else {
        return Finding(.keyring(await keyring.lock(whileIn: .locked) ?? .locked(), keyring.kind))
      }
      do { _ = try await context.world.vault.unlock(.forbidden) } catch { return Finding(.keyring(error, .vault)) }
      return Finding(.keyringReady(.vault))
    case .unavailable:
      // A state has no reason; reading an item that does not exist returns one.
      do {
        _ = try await keyring.read(context.world.entropy.accountID(), [.handle], .forbidden)
      } catch {
        return Finding(.keyring(error, keyring.kind))
      }
      return Finding(.keyring(.unavailable(reason: ""), keyring.kind))
    }
  }

  /// The recorded choice, if it can be read.
  private var decision: Keyring.Kind? {
    guard let bytes = try? context.world.files.read(.keyringDecision) else { return nil }
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first
    return Keyring.Kind(rawValue: line.map(String.init) ?? "")
  }

  /// Finds the keyring that holds the accounts if no valid choice is recorded.
  private func lostDecision() async -> (Keyring?, Finding) {
    let accounts: Set<AccountID>
    let isThere: Bool
    do {
      accounts = Set(try context.world.files.accounts())
      isThere = try context.world.files.read(.keyringDecision) != nil
    } catch {
      return (nil, Finding(.files(error)))
    }
    guard isThere || !accounts.isEmpty else { return (nil, Finding(.keyringUndecided)) }
    for keyring in [context.world.secretService, context.world.vaultKeyring] {
      guard let listed = try? await keyring.list(), listed.keys.contains(where: accounts.contains) else { continue }
      return (keyring, Finding(.keyringDecisionLost(found: keyring.kind), isRepaired: write(keyring)))
    }
    return (nil, Finding(.keyringDecisionLost(found: nil)))
  }

  private func write(_ keyring: Keyring) -> Bool {
    guard repairs else { return false }
    do {
      try context.world.files.replace(.keyringDecision, Array("\(keyring.kind.rawValue)\n".utf8))
    } catch {
      return false
    }
    return true
  }
}
