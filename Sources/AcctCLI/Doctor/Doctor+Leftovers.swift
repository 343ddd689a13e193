import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts

extension Doctor {
  /// The age, in seconds, of a leftover file: no write takes as long.
  private static let writing: Int64 = 60
  /// The age, in seconds, of a leftover lock or hint: none is held or used for as long.
  private static let passing: Int64 = 600

  /// Checks for files that killed processes left, and hints that have expired.
  func leftovers() async -> [Finding] {
    var findings: [Finding] = []
    // Without --repair, too: there is nothing to decide about a token that is left over.
    let swept = context.world.maintenance.sweep()
    if swept > 0 {
      let message = "\(counted(swept, "folder")) with secrets of processes that were killed"
      findings.append(Finding(.warning, "secretFiles", message).repaired(true))
    }
    let surveyed: [SurveyedFile]
    // The first check has reported this failure.
    do { surveyed = try context.world.maintenance.survey() } catch { return findings }
    let now = context.world.clock.now()
    let own = surveyed.filter { $0.isOwn && $0.kind == .regular }
    let old = { (file: SurveyedFile, age: Int64) in now.seconds(since: file.modifiedAt) > age }
    let temporary = own.filter { $0.role == .temporary && old($0, Self.writing) }
    let hints = own.filter { $0.role == .hint && old($0, Self.passing) }
    let locks = own.filter { file in
      if case .lock = file.role { old(file, Self.passing) } else { false }
    }

    if !temporary.isEmpty {
      let message = "\(counted(temporary.count, "half-written file")) of processes that were killed"
      findings.append(
        Finding(.warning, "temporaryFiles", message, fix: repairLine).repaired(discard(temporary))
      )
    }
    if !locks.isEmpty {
      let message = "\(counted(locks.count, "lock file")) that no process seems to hold; they do no harm"
      findings.append(Finding(.warning, "locks", message, fix: repairLine).repaired(await release(locks)))
    }
    if !hints.isEmpty {
      let message = "\(counted(hints.count, "outdated hint")), which do no harm"
      findings.append(Finding(.ok, "hints", message).repaired(discard(hints)))
    }
    return findings.isEmpty ? [Finding(.ok, "leftovers", "nothing was left behind")] : findings
  }

  private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  private func discard(_ files: [SurveyedFile]) -> Bool {
    guard repairs else { return false }
    do { for file in files { try context.world.maintenance.discard(file) } } catch { return false }
    return true
  }

  /// Takes each lock and releases it, which removes its file; a lock that is held is in use, and stays.
  private func release(_ files: [SurveyedFile]) async -> Bool {
    guard repairs else { return false }
    for case .lock(let lock) in files.map(\.role) {
      do { try await context.world.files.lock(lock, 0).release() } catch { guard error == .busy else { return false } }
    }
    return true
  }
}
