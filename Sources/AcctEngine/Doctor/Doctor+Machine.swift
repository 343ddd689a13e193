import AcctModel
import AcctPorts

extension Doctor {
  /// Checks the owners and permissions of files and folders.
  func files() -> [Finding] {
    let surveyed: [SurveyedFile]
    do { surveyed = try context.world.maintenance.survey() } catch { return [Finding(.files(error))] }
    let files = surveyed.sorted { $0.path < $1.path }
    var findings = files.compactMap(finding)
    let writable = files.filter { $0.isOwn && $0.kind != .link && $0.mode & 0o022 != 0 }.map(\.path)
    // Never closed automatically: others may have changed them already.
    if !writable.isEmpty { findings.append(Finding(.writable(writable, in: roots(of: writable, among: files)))) }
    if findings.isEmpty { findings.append(Finding(.filesPrivate(count: surveyed.count))) }
    return findings + obstacles(in: files.filter { $0.kind == .folder && $0.isOwn })
  }

  /// The surveyed folders that lie in no other and contain some of these paths.
  private func roots(of paths: [String], among files: [SurveyedFile]) -> [String] {
    var roots: [String] = []
    for file in files where !roots.contains(where: { file.path.hasPrefix("\($0)/") }) { roots.append(file.path) }
    return roots.filter { root in paths.contains { $0 == root || $0.hasPrefix("\(root)/") } }
  }

  /// Checks that folders can be written: what is wrong with a file system is told once.
  private func obstacles(in folders: [SurveyedFile]) -> [Finding] {
    var findings: [Finding] = []
    var known: Set<FolderObstacle> = []
    for folder in folders {
      if folder.mode & 0o300 != 0o300 {
        findings.append(Finding(.obstacle(.mode, folder: folder.path)))
      } else if let obstacle = context.world.maintenance.obstacle(folder.path), known.insert(obstacle).inserted {
        findings.append(Finding(.obstacle(obstacle, folder: folder.path)))
      }
    }
    return findings
  }

  private func finding(_ file: SurveyedFile) -> Finding? {
    if file.kind == .link { return Finding(.link(path: file.path)) }
    guard file.isOwn else { return Finding(.foreign(path: file.path)) }
    guard file.mode & 0o022 == 0, file.mode & 0o077 != 0 else { return nil }
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
