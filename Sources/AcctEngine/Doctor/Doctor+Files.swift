import AcctPorts

extension Doctor {
  /// The owners of files and folders, and their readers and writers.
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
