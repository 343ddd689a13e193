import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts

extension Doctor {
  /// Checks the owners and permissions of files and folders.
  ///
  /// - Returns: The findings, and the paths of what others can change.
  func files() -> ([Finding], writable: [String]) {
    let surveyed: [SurveyedFile]
    do { surveyed = try context.world.maintenance.survey() } catch { return ([Finding(ErrorMessage(error))], []) }
    let files = surveyed.sorted { $0.path < $1.path }
    let own = files.filter { $0.isOwn && $0.kind != .link }
    var findings = readable(own.filter { $0.mode & 0o022 == 0 && $0.mode & 0o077 != 0 }) + files.compactMap(foreign)
    let writable = own.filter { $0.mode & 0o022 != 0 }.map(\.path)
    // A folder that can't be read is one in which nothing can be written, too.
    let unreadable = own.filter { $0.kind == .regular && $0.mode & 0o400 == 0 }.map(\.path)
    let skipped = writable.isEmpty && unreadable.isEmpty ? [] : context.skippedAccounts()
    // Never closed automatically: others may have changed them already.
    if !writable.isEmpty {
      let message = text(writable, "can be changed by others", skipped)
      let line = chmod("go=", writable, roots(of: writable, among: files))
      let fix = "check \(writable.count == 1 ? "its" : "their") contents, then `\(line)`"
      findings.append(Finding(.problem, "writable", message, fix: fix))
    }
    if !unreadable.isEmpty {
      let message = text(unreadable, "can't be read by you", skipped)
      let line = chmod("u+rwX", unreadable, roots(of: unreadable, among: files))
      findings.append(Finding(.problem, "unreadable", message, fix: "`\(line)`"))
    }
    if findings.isEmpty {
      let count = surveyed.count
      let message = count == 0 ? "there are no files yet" : "only you can use the files and folders (\(count))"
      findings.append(Finding(.ok, "files", message))
    }
    let missing = context.world.maintenance.roots.filter { root in !files.contains { $0.path == root } }
    return (findings + obstacles(in: own.filter { $0.kind == .folder }, missing), writable)
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
    var findings = closed.map { obstacle(.mode, $0) }
    var known: Set<UInt> = []
    for path in folders.map(\.path) + missing where !closed.contains(path) {
      guard let (flaw, device) = context.world.maintenance.obstacle(path), known.insert(device).inserted
      else { continue }
      findings.append(obstacle(flaw, path))
    }
    return findings
  }

  private func obstacle(_ obstacle: FolderObstacle, _ path: String) -> Finding {
    let (code, message, fix) =
      switch obstacle {
      case .mode: ("unwritable", "a folder in which you can't write", "`chmod u=rwx \(shellWord(path))`")
      case .readOnly:
        (
          "unwritable", "on a file system that is read-only: nothing can be stored or renewed",
          "mount it for writing, or name another folder in ACCT_HOME"
        )
      case .full: ("diskFull", "on a disk that is full: nothing can be stored or renewed", "free space on it")
      }
    return Finding(.problem, code, "\(path) is \(message)", fix: fix)
  }

  private func foreign(_ file: SurveyedFile) -> Finding? {
    if file.kind == .link {
      return Finding(.problem, "link", "\(file.path) is a symbolic link", fix: "replace the link by the file itself")
    }
    return file.isOwn
      ? nil
      : Finding(.problem, "foreign", "\(file.path) belongs to another user", fix: "`chown` it, or remove it")
  }

  /// Reports what others can read, in one finding, and what was closed to them in another.
  private func readable(_ files: [SurveyedFile]) -> [Finding] {
    var (open, closed): ([String], [String]) = ([], [])
    for file in files { if close(file) { closed.append(file.path) } else { open.append(file.path) } }
    return [(closed, true), (open, false)].filter { !$0.0.isEmpty }.map { paths, isRepaired in
      Finding(.problem, "readable", text(paths, "can be read by others"), fix: repairLine).repaired(isRepaired)
    }
  }

  private func close(_ file: SurveyedFile) -> Bool {
    guard repairs, file.kind == .regular || file.kind == .folder else { return false }
    do { try context.world.maintenance.close(file) } catch { return false }
    return true
  }

  /// Checks that acct's folders are on this machine's own file systems.
  func fileSystems() -> [Finding] {
    var seen: [FileSystem] = []
    for folder in FileFolder.allCases {
      // The check of files reports a folder that can't be examined.
      guard let fileSystem = try? context.world.files.fileSystem(folder), fileSystem.reach != .machine,
        !seen.contains(where: { $0.name == fileSystem.name })
      else { continue }
      seen.append(fileSystem)
    }
    return seen.map { fileSystem in
      Finding(
        .warning,
        "remoteFolder",
        "\(fileSystem.path) is on \(fileSystem.name): a folder on sshfs or NFS is no shared keyring"
          + (fileSystem.reach == .network ? "" : ", and nothing is renewed there"),
        fix: "keep acct's files on this machine; acct-keyring(1) says how several machines use one account"
      )
    }
  }
}

/// A flaw of files and folders, of which one is named, and which of the accounts are not used for that.
private func text(_ paths: [String], _ flaw: String, _ skipped: [SkippedAccount] = []) -> String {
  let (subject, example) =
    paths.count == 1 ? (paths[0], "") : ("\(paths.count) files and folders", ", such as \(paths[paths.count - 1])")
  let accounts = skipped.filter { paths.contains($0.path) }
  return "\(subject) \(flaw)\(example)\(accounts.isEmpty ? "" : "; not used: \(words(for: accounts))")"
}

/// The line that mends a file, or all that acct's folders have.
private func chmod(_ mode: String, _ paths: [String], _ folders: [String]) -> String {
  (["chmod"] + (paths.count == 1 ? [mode] + paths : ["-R", mode] + folders)).map(shellWord).joined(separator: " ")
}
