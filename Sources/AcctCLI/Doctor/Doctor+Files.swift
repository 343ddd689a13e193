import AcctEngine
import AcctModel
import AcctPorts

extension Doctor {
  /// Checks the owners and permissions of files and folders.
  func files() -> [Finding] {
    let surveyed: [SurveyedFile]
    do { surveyed = try context.world.maintenance.survey() } catch { return [Finding(.files(error))] }
    let files = surveyed.sorted { $0.path < $1.path }
    let own = files.filter { $0.isOwn && $0.kind != .link }
    var findings = readable(own.filter { $0.mode & 0o022 == 0 && $0.mode & 0o077 != 0 })
    findings += files.compactMap(finding)
    let writable = own.filter { $0.mode & 0o022 != 0 }.map(\.path)
    // A folder that can't be read is one in which nothing can be written, too.
    let unreadable = own.filter { $0.kind == .regular && $0.mode & 0o400 == 0 }.map(\.path)
    let skipped = writable.isEmpty && unreadable.isEmpty ? [] : context.skippedAccounts()
    func accounts(_ paths: [String]) -> [SkippedAccount] { skipped.filter { paths.contains($0.path) } }
    // Never closed automatically: others may have changed them already.
    if !writable.isEmpty {
      findings.append(Finding(.writable(writable, in: roots(of: writable, among: files), accounts: accounts(writable))))
    }
    if !unreadable.isEmpty {
      let roots = roots(of: unreadable, among: files)
      findings.append(Finding(.unreadable(unreadable, in: roots, accounts: accounts(unreadable))))
    }
    if findings.isEmpty { findings.append(Finding(.filesPrivate(count: surveyed.count))) }
    let missing = context.world.maintenance.roots.filter { root in !files.contains { $0.path == root } }
    return findings + obstacles(in: own.filter { $0.kind == .folder }, missing)
  }

  /// The surveyed folders that lie in no other and contain some of these paths.
  private func roots(of paths: [String], among files: [SurveyedFile]) -> [String] {
    var roots: [String] = []
    for file in files where !roots.contains(where: { file.path.hasPrefix("\($0)/") }) { roots.append(file.path) }
    return roots.filter { root in paths.contains { $0 == root || $0.hasPrefix("\(root)/") } }
  }

  /// Checks that folders can be written, and made where they are `missing`: what is wrong with a file system is told once.
  private func obstacles(in folders: [SurveyedFile], _ missing: [String]) -> [Finding] {
    let closed = folders.filter { $0.mode & 0o300 != 0o300 }.map(\.path)
    var findings = closed.map { Finding(.obstacle(.mode, folder: $0)) }
    var known: Set<UInt> = []
    for path in folders.map(\.path) + missing where !closed.contains(path) {
      guard let (obstacle, device) = context.world.maintenance.obstacle(path), known.insert(device).inserted
      else { continue }
      findings.append(Finding(.obstacle(obstacle, folder: path)))
    }
    return findings
  }

  private func finding(_ file: SurveyedFile) -> Finding? {
    if file.kind == .link { return Finding(.link(path: file.path)) }
    return file.isOwn ? nil : Finding(.foreign(path: file.path))
  }

  /// Reports what others can read, in one finding, and what was closed to them in another.
  private func readable(_ files: [SurveyedFile]) -> [Finding] {
    var (open, closed): ([String], [String]) = ([], [])
    for file in files { if close(file) { closed.append(file.path) } else { open.append(file.path) } }
    return (closed.isEmpty ? [] : [Finding(.readable(closed), isRepaired: true)])
      + (open.isEmpty ? [] : [Finding(.readable(open))])
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
