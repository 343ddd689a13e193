import AcctModel
import AcctPorts

extension Doctor {
  /// Checks the owners and permissions of files and folders.
  func files() -> [Finding] {
    let surveyed: [SurveyedFile]
    do { surveyed = try context.world.maintenance.survey() } catch { return [Finding(.files(error))] }
    let findings = surveyed.sorted { $0.path < $1.path }.compactMap(finding)
    return findings.isEmpty ? [Finding(.filesPrivate(count: surveyed.count))] : findings
  }

  private func finding(_ file: SurveyedFile) -> Finding? {
    if file.kind == .link { return Finding(.link(path: file.path)) }
    guard file.isOwn else { return Finding(.foreign(path: file.path)) }
    // Never closed automatically: others may have changed it already.
    guard file.mode & 0o022 == 0 else { return Finding(.writable(path: file.path)) }
    guard file.mode & 0o077 != 0 else { return nil }
    return Finding(.readable(path: file.path), isRepaired: close(file))
  }

  private func close(_ file: SurveyedFile) -> Bool {
    guard repairs, file.kind == .regular || file.kind == .folder else { return false }
    do { try context.world.maintenance.close(file) } catch { return false }
    return true
  }
}

extension Doctor {
  /// Checks that the TPM of a sealed vault still opens it; no other check asks it.
  func seal(of keyring: Keyring) async -> [Finding] {
    guard keyring.kind == .vault else { return [] }
    let check: VaultSealCheck?
    // The keyring's check reports a vault that can't be read.
    do throws(KeyringFailure) { check = try await context.world.vault.checkSeal() } catch { return [] }
    guard let check else { return [] }
    guard let failure = check.failure else { return [Finding(.sealOpens(check.address))] }
    return [Finding(.sealFails(failure, check.address))]
  }

  /// Reports the kernel's means of protecting a proxy.
  func protection() -> [Finding] {
    guard let measures = context.world.confinement.available() else { return [] }
    var findings: [Finding.Subject] = [
      .proxyMemory(isSecret: measures.secretMemory), .proxyFence(version: measures.fence),
    ]
    let accounts = (try? accountStore.listing().accounts) ?? []
    if measures.fence != nil, let obstacle = ProxyFence(for: accounts, context).obstacle {
      findings.append(.proxyUnfenced(obstacle))
    }
    return findings.map { Finding($0) }
  }
}

extension Doctor {
  /// Checks that the keys in devices can be used now; no finding if no account has one.
  func hardwareKeys(in keyring: Keyring) async -> [Finding] {
    let accounts = ((try? accountStore.listing().accounts) ?? []).filter { $0.keyStorage != .software }
    guard !accounts.isEmpty else { return [] }
    var findings: [Finding] = []
    var ready = 0
    for account in accounts {
      let store = CredentialStore(of: account, in: keyring, context)
      // Other findings report a keyring that can't be read, and an item that is damaged or missing.
      guard let stored = try? await store.storedHardwareKey() else { continue }
      guard let failure = await CheckHardwareKey(context).failure(of: stored, asksForPIN: false) else {
        ready += 1
        continue
      }
      findings.append(Finding(.hardwareKey(failure, account.keyStorage, of: account.name)))
    }
    guard findings.isEmpty, ready > 0 else { return findings }
    return [Finding(.hardwareKeysReady(count: ready))]
  }
}
