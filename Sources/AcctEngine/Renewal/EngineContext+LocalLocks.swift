import AcctPorts

extension EngineContext {
  /// Checks that this account's lock keeps other machines out, too, before a refresh token is used up.
  ///
  /// A program that implements a file system, such as sshfs, may keep the locks of each machine apart: both then renew
  /// at once. One system call.
  ///
  /// - Throws: ``FilesError/foreignLocks(_:)``.
  func requireLocalLocks() throws(EngineError) {
    let fileSystem: FileSystem?
    do { fileSystem = try world.files.fileSystem(.locks) } catch { throw .files(.failed(error)) }
    if let fileSystem, fileSystem.reach == .program { throw .files(.foreignLocks(fileSystem)) }
  }
}
