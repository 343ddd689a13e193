import AcctModel
import AcctPorts
import Synchronization

extension Files {
  /// Files of this process alone: they are in memory, and end with it.
  ///
  /// - Parameter contents: The files that are there from the start.
  /// - Returns: The files.
  static func inMemory(_ contents: [StoredFile: [UInt8]]) -> Files {
    let store = MemoryStore(contents)
    let locks = MemoryLocks()
    return Files(
      read: { file throws(FilesFailure) in store.contents.withLock { $0[file] } },
      replace: { file, bytes throws(FilesFailure) in store.contents.withLock { $0[file] = bytes } },
      remove: { file throws(FilesFailure) in store.contents.withLock { $0[file] = nil } },
      accounts: { () throws(FilesFailure) in store.accounts.map(\.id) },
      eachAccount: { body throws(FilesFailure) in
        _ = body(store.accounts.map { ($0.id, Result<[UInt8], FilesFailure>.success($0.bytes)) })
      },
      inspect: { file in ("memory", store.contents.withLock { $0[file] } ?? [], true) },
      lock: { lock, _ throws(FilesFailure) in
        await locks.take(lock)
        return HeldLock { locks.release(lock) }
      }
    )
  }
}

private final class MemoryStore: Sendable {
  let contents: Mutex<[StoredFile: [UInt8]]>

  init(_ contents: [StoredFile: [UInt8]]) { self.contents = Mutex(contents) }

  var accounts: [(id: AccountID, bytes: [UInt8])] {
    contents.withLock { files in
      files.compactMap { file, bytes in
        if case .account(let id) = file { (id, bytes) } else { nil }
      }
    }
  }
}

/// Locks between the tasks of this process, in the order in which they are asked for.
private final class MemoryLocks: Sendable {
  private let waiting = Mutex<[Lock: [CheckedContinuation<Void, Never>]]>([:])

  func take(_ lock: Lock) async {
    await withCheckedContinuation { continuation in
      let isFree = waiting.withLock { waiting in
        guard waiting[lock] != nil else {
          waiting[lock] = []
          return true
        }
        waiting[lock]?.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  func release(_ lock: Lock) {
    let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
      guard waiting[lock]?.isEmpty == false else {
        waiting[lock] = nil
        return nil
      }
      return waiting[lock]?.removeFirst()
    }
    next?.resume()
  }
}
