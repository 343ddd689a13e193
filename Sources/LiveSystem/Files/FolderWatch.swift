import AcctPorts
import CLinux
import Glibc
import PrivateFiles
import Synchronization

/// Notices changes of the files that accounts and the vault are made of (inotify(7)).
///
/// The kernel queues an event before the system call that makes the change returns, so a look at the queue sees all
/// that any process has done before. The kind of an event does not matter: all is read anew after any.
final class FolderWatch: Sendable {
  private struct State: ~Copyable {
    var queue: Descriptor?
    var count: UInt64 = 0
    /// No new attempt is made before, where the last one failed.
    var pause: ContinuousClock.Instant?
  }

  private let folders: Folders
  private let state = Mutex(State())

  /// Names the folders to watch; none is watched before the first ``mark()``.
  init(_ folders: Folders) { self.folders = folders }

  /// A mark that is another one after each change; `nil` where the folders can't be watched.
  func mark() -> ChangeMark? {
    state.withLock { state in
      switch Self.look(into: state.queue) {
      case .quiet: return ChangeMark(state.count)
      case .changed:
        state.count += 1
        return ChangeMark(state.count)
      case .over:
        state.count += 1
        state.queue = nil
        if let pause = state.pause, ContinuousClock.now < pause { return nil }
        state.queue = begun()
        state.pause = state.queue == nil ? ContinuousClock.now + .seconds(1) : nil
        return state.queue == nil ? nil : ChangeMark(state.count)
      }
    }
  }

  private enum Look { case quiet, changed, over }

  /// Empties the queue.
  private static func look(into queue: borrowing Descriptor?) -> Look {
    switch queue {
    case .none: return .over
    case .some(let queue):
      let number = queue.number
      var result = Look.quiet
      return unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { room in
        while true {
          let count = unsafe read(number, room.baseAddress, room.count)
          guard count > 0 else {
            if count < 0, errno == EINTR { continue }
            return count < 0 && errno == EAGAIN ? result : .over
          }
          if unsafe isOver(room, count) {
            result = .over
          } else if result == .quiet {
            result = .changed
          }
        }
      }
    }
  }

  /// `true` if an event means that other folders have to be watched; each is a head of 16 bytes and a name.
  private static func isOver(_ events: UnsafeMutableRawBufferPointer, _ count: Int) -> Bool {
    var offset = 0
    while offset + 16 <= count {
      if acct_watch_is_over(unsafe events.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)) != 0 {
        return true
      }
      offset += 16 + Int(unsafe events.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
    }
    return false
  }

  /// A queue with all folders in it, from the outermost on: a change in the meantime is in the queue then.
  ///
  /// - Returns: `nil` if one can't be watched, or another machine may change it unseen; or if it is a link, which may be
  ///   led elsewhere unseen.
  private func begun() -> Descriptor? {
    do {
      guard try folders.fileSystem(of: .data)?.reach == .machine else { return nil }
      let watched = [folders.data.path, folders.accounts.path, folders.vault.path]
      guard !([folders.data.outermost] + watched).contains(where: isLink) else { return nil }
      let queue = try Descriptor.watchQueue()
      var above = folders.data.path[...]
      while let slash = above.lastIndex(of: "/"), slash > above.startIndex {
        above = above[..<slash]
        // One that may not be read can't be watched, and few may rename it.
        _ = unsafe acct_watch_place(queue.number, String(above))
      }
      for path in watched.dropLast() {
        guard unsafe acct_watch_folder(queue.number, path) >= 0 else { return nil }
      }
      // Without one there is nothing to watch, and it is made within the first of these.
      guard unsafe acct_watch_folder(queue.number, folders.vault.path) >= 0 || errno == ENOENT else { return nil }
      return queue
    } catch {
      return nil
    }
  }
}

private func isLink(_ path: String) -> Bool {
  var target: CChar = 0
  return unsafe readlink(path, &target, 1) > 0
}
