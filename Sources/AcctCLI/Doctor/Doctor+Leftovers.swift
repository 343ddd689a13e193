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
    // Without --repair, too: there is nothing to decide about a token that is left over.
    let swept = context.world.maintenance.sweep()
    var findings: [Finding] = swept == 0 ? [] : [Finding(.memoryFolders(count: swept), isRepaired: true)]
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
      let isRepaired = discard(temporary)
      findings.append(Finding(.temporaryFiles(count: temporary.count), isRepaired: isRepaired))
    }
    if !locks.isEmpty {
      let isRepaired = await release(locks)
      findings.append(Finding(.locks(count: locks.count), isRepaired: isRepaired))
    }
    if !hints.isEmpty { findings.append(Finding(.hints(count: hints.count), isRepaired: discard(hints))) }
    return findings.isEmpty ? [Finding(.tidy)] : findings
  }

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
