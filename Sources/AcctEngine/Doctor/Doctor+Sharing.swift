import AcctModel
import AcctPorts

extension Doctor {
  /// What the engine of a shared keyring says, and what this machine still has to tell it.
  ///
  /// A failure counts only if the keyring's own check has found it ready, and has not reported it.
  func sharing(_ keyring: Keyring, isReady: Bool) -> [Finding] {
    guard keyring.kind.isShared else { return [] }
    let report: SharedKeyring.Report
    do { report = try context.world.sharedKeyring.report() } catch {
      return isReady ? [Finding(.keyring(error, keyring.kind))] : []
    }
    var findings: [Finding] = []
    if report.isRolledBack { findings.append(Finding(.keyring(.rolledBack, keyring.kind))) }
    if !report.pending.isEmpty { findings.append(Finding(.answersWait(names(of: report.pending)))) }
    if !report.copiesAlone.isEmpty { findings.append(Finding(.copiesAlone(names(of: report.copiesAlone)))) }
    findings += inspected()
    return findings.isEmpty
      ? [Finding(.sharing(keyring.kind, accounts: report.accounts))] : findings
  }

  /// The objects that can't be used as they are, where the key can be had without asking anyone.
  private func inspected() -> [Finding] {
    let inspection: SharedKeyring.Inspection
    do { inspection = try context.world.sharedKeyring.inspect(context.interaction) } catch {
      // That it is locked, or can't be asked, is told by the checks before.
      return []
    }
    var findings: [Finding] = []
    for (id, damage) in inspection.damaged.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      findings.append(Finding(.damagedShared("\(id)", damage)))
    }
    for key in inspection.strayKeys { findings.append(Finding(.damagedShared(key, .strayKey))) }
    if !inspection.rolledBack.isEmpty { findings.append(Finding(.olderObjects(names(of: inspection.rolledBack)))) }
    return findings
  }

  /// What accounts are called here; one whose file is gone is called by its identifier.
  private func names(of ids: [AccountID]) -> [String] {
    let names = Dictionary(
      ((try? accountStore.listing().accounts) ?? []).map { ($0.id, $0.name.description) },
      uniquingKeysWith: { first, _ in first }
    )
    return ids.map { names[$0] ?? $0.description }.sorted()
  }

  /// Whether a move between keyrings was interrupted.
  func moves() -> [Finding] {
    guard let decision = try? KeyringChoice(context.world).recorded(), let move = decision.move else { return [] }
    return switch move {
    case .to(let kind): [Finding(.moveBegun(to: kind, decision.kind))]
    case .from(let kind): [Finding(.moveUnfinished(from: kind, decision.kind))]
    }
  }

  /// Whether acct's folders are this machine's own.
  func fileSystems() -> [Finding] {
    var findings: [Finding] = []
    var seen: [FileSystem] = []
    for folder in FileFolder.allCases {
      // A folder that can't be looked at is told of by the check of files.
      guard let fileSystem = try? context.world.files.fileSystem(folder), fileSystem.reach != .machine,
        !seen.contains(where: { $0.name == fileSystem.name })
      else { continue }
      seen.append(fileSystem)
      findings.append(Finding(.remoteFolder(fileSystem, renews: fileSystem.reach == .network)))
    }
    return findings
  }
}
