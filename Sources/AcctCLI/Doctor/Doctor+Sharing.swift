import AcctEngine
import AcctModel
import AcctPorts

extension Doctor {
  /// Checks the engine of a shared keyring, and the answers that are still to be stored there.
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
    if report.isChangingKey { findings.append(Finding(.keyChangeBegun)) }
    findings += inspected() + opened()
    return findings.isEmpty
      ? [Finding(.sharing(keyring.kind, accounts: report.accounts))] : findings
  }

  /// Reports the objects that can't be used in their present state, if the key is available without a prompt.
  private func inspected() -> [Finding] {
    let inspection: SharedKeyring.Inspection
    do { inspection = try context.world.sharedKeyring.inspect(context.interaction) } catch {
      // The earlier checks report a keyring that is locked, or can't be asked.
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

  /// Reports what opens the keyring without a known reason, if the key is available without a prompt.
  private func opened() -> [Finding] {
    let members: SharedMembers
    do { members = try context.world.sharedKeyring.membership.members(.forbidden) } catch {
      // As above; and a keyring of the form of earlier versions has no such list.
      return []
    }
    let unknown = members.means.filter { !$0.isKnown }
    var findings = unknown.isEmpty ? [] : [Finding(.unknownMeans(unknown))]
    if members.doubles > 0 { findings.append(Finding(.doubledMembers(members.doubles))) }
    return findings
  }

  /// The names of accounts here; an account without a file is named by its identifier.
  private func names(of ids: [AccountID]) -> [String] {
    let names = Dictionary(
      ((try? accountStore.listing().accounts) ?? []).map { ($0.id, $0.name.description) },
      uniquingKeysWith: { first, _ in first }
    )
    return ids.map { names[$0] ?? $0.description }.sorted()
  }

  /// Checks for an interrupted move between keyrings.
  func moves() -> [Finding] {
    guard let decision = try? KeyringChoice(context.world).recorded(), let move = decision.move else { return [] }
    return switch move {
    case .to(let kind): [Finding(.moveBegun(to: kind, decision.kind))]
    case .from(let kind): [Finding(.moveUnfinished(from: kind, decision.kind))]
    }
  }

  /// Checks that acct's folders are on this machine's own file systems.
  func fileSystems() -> [Finding] {
    var findings: [Finding] = []
    var seen: [FileSystem] = []
    for folder in FileFolder.allCases {
      // The check of files reports a folder that can't be examined.
      guard let fileSystem = try? context.world.files.fileSystem(folder), fileSystem.reach != .machine,
        !seen.contains(where: { $0.name == fileSystem.name })
      else { continue }
      seen.append(fileSystem)
      findings.append(Finding(.remoteFolder(fileSystem, renews: fileSystem.reach == .network)))
    }
    return findings
  }
}
