import Glibc
import Synchronization

/// A lock across processes that is held until it is released.
///
/// It is an flock(2) on a file: the kernel frees it when the process dies. The holder unlinks the
/// file before the release, so that no file remains; a process that then gets the lock on the
/// unlinked file notices, and starts again.
package final class FolderLock: Sendable {
  private let state: Mutex<Held?>
  private let name: String

  private struct Held: ~Copyable {
    let folder: Descriptor
    let file: Descriptor
  }

  init(_ name: String, of folder: consuming Descriptor, held file: consuming Descriptor) {
    self.name = name
    state = Mutex(Held(folder: folder, file: file))
  }

  /// Releases the lock; a second call does nothing.
  package func release() {
    state.withLock { held in
      guard let last = held.take() else { return }
      // Checked first: if another program deleted the file, the name may be another holder's by
      // now.
      if let mine = try? last.file.status(), let named = try? last.folder.status(of: name), mine.isSame(as: named) {
        unsafe unlinkat(last.folder.number, name, 0)
      }
    }
  }

  deinit { release() }
}

extension PrivateFolder {
  /// Takes a lock, creating the folder if it is missing.
  ///
  /// - Parameters:
  ///   - name: The lock's name in the folder.
  ///   - seconds: The time to wait for another holder; 0 tries once.
  /// - Returns: The lock, to be released when done.
  /// - Throws: ``PrivateFilesError``; ``PrivateFilesError/busy(path:)`` if the time is over or the
  ///   task was cancelled.
  package func lock(_ name: String, seconds: Int) async throws(PrivateFilesError) -> FolderLock {
    try check(name)
    let deadline = ContinuousClock.now.advanced(by: .seconds(seconds))
    // Short at first, since most locks are held for a moment; then longer, since some are held
    // across a network call and a busy wait only costs time.
    var pause = Duration.milliseconds(1)
    while true {
      if let lock = try tryLock(name) { return lock }
      let now = ContinuousClock.now
      guard now < deadline else { throw .busy(path: path(of: name)) }
      do { try await Task.sleep(until: min(now.advanced(by: pause), deadline)) } catch {
        throw .busy(path: path(of: name))
      }
      pause = min(pause * 2, .milliseconds(100))
    }
  }

  /// Tries once to take a lock, creating the folder if it is missing.
  ///
  /// - Parameter name: The lock's name in the folder.
  /// - Returns: The lock, to be released when done; `nil` if it is held.
  /// - Throws: ``PrivateFilesError``.
  package func tryLock(_ name: String) throws(PrivateFilesError) -> FolderLock? {
    try check(name)
    let folder = try created()
    while true {
      let file = try at(path(of: name)) { () throws(FileError) in
        let file = try folder.open(name, O_RDWR | O_CREAT)
        let status = try file.status()
        try status.checkRegular()
        try status.checkGenuine()
        return file
      }
      guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
        if errno == EINTR { continue }
        if errno == EWOULDBLOCK { return nil }
        throw PrivateFilesError(path(of: name), .last)
      }
      let isCurrent = try at(path(of: name)) { () throws(FileError) in
        let locked = try file.status()
        return try folder.status(of: name).map(locked.isSame) ?? false
      }
      if isCurrent { return FolderLock(name, of: folder, held: file) }
    }
  }
}
