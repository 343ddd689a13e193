import Glibc
import PrivateFiles
import Synchronization
import Testing

/// flock(2) belongs to the open file description, so two holders in one process exclude each
/// other as two processes do.
@Suite("File locks")
struct LockTests {
  let scratch: ScratchFolder
  let folder: PrivateFolder

  init() throws {
    scratch = try ScratchFolder()
    folder = PrivateFolder(at: scratch.path)
  }

  @Test("A lock has one holder at a time, and is free after its release")
  func exclusion() async throws {
    let held = try await folder.lock("l", seconds: 0)
    await #expect(throws: PrivateFilesError.busy(path: scratch.path(of: "l"))) {
      try await folder.lock("l", seconds: 0)
    }
    held.release()
    held.release()
    try await folder.lock("l", seconds: 0).release()
  }

  @Test("A lock of one name does not block another name")
  func names() async throws {
    let one = try await folder.lock("one", seconds: 0)
    let two = try await folder.lock("two", seconds: 0)
    one.release()
    two.release()
  }

  @Test("A lock leaves no file behind")
  func litter() async throws {
    try await folder.lock("l", seconds: 0).release()
    #expect(scratch.entries() == [])
  }

  @Test("A lock that loses its last reference is freed")
  func dropped() async throws {
    _ = try await folder.lock("l", seconds: 0)
    try await folder.lock("l", seconds: 0).release()
  }

  @Test("A lock excludes holders that come and go and unlink the file each time")
  func contention() async throws {
    let room = Room()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<25 {
            let lock = try await folder.lock("l", seconds: 60)
            room.enter()
            await Task.yield()
            room.leave()
            lock.release()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(room.visits == 200)
    #expect(scratch.entries() == [])
  }

  @Test("A lock is never taken on a file that its last holder has unlinked meanwhile")
  func unlinkedMeanwhile() async throws {
    let path = scratch.path(of: "l")
    let isDone = Flag()
    // Another process that takes the lock, unlinks the file and lets go, as fast as it can.
    let churn = Task.detached {
      while !isDone.isSet {
        let file = unsafe open(path, O_RDWR | O_CREAT, 0o600)
        if flock(file, LOCK_EX | LOCK_NB) == 0, isNamed(path, file) { unsafe unlink(path) }
        close(file)
        await Task.yield()
      }
    }
    for _ in 0..<500 {
      let lock = try await folder.lock("l", seconds: 60)
      // A process that comes now finds the name, and finds it locked.
      let file = unsafe open(path, O_RDWR)
      #expect(file >= 0)
      #expect(flock(file, LOCK_EX | LOCK_NB) != 0)
      close(file)
      lock.release()
    }
    isDone.set()
    await churn.value
  }

  @Test("A lock whose file was deleted does not free another holder's")
  func cleaned() async throws {
    let first = try await folder.lock("l", seconds: 0)
    try scratch.delete("l")
    let second = try await folder.lock("l", seconds: 0)
    first.release()
    await #expect(throws: PrivateFilesError.busy(path: scratch.path(of: "l"))) {
      try await folder.lock("l", seconds: 0)
    }
    second.release()
  }

  @Test("A lock is not taken on a link or on a file that others can write")
  func planted() async throws {
    try scratch.write("", to: "target")
    try scratch.link("l", to: "target")
    await #expect(throws: PrivateFilesError.self) { try await folder.lock("l", seconds: 0) }
    try scratch.write("", to: "m", mode: 0o666)
    await #expect(throws: PrivateFilesError.self) { try await folder.lock("m", seconds: 0) }
  }

  @Test("A wait for a lock ends if its task is cancelled")
  func cancelled() async throws {
    let held = try await folder.lock("l", seconds: 0)
    let waiting = Task { try await folder.lock("l", seconds: 3_600) }
    waiting.cancel()
    await #expect(throws: PrivateFilesError.busy(path: scratch.path(of: "l"))) { try await waiting.value }
    held.release()
  }
}

/// Whether a name still stands for an open file.
private func isNamed(_ path: String, _ file: Int32) -> Bool {
  var named = stat()
  var opened = stat()
  return unsafe stat(path, &named) == 0 && fstat(file, &opened) == 0 && named.st_ino == opened.st_ino
}

private final class Flag: Sendable {
  private let state = Mutex(false)

  var isSet: Bool { state.withLock { $0 } }
  func set() { state.withLock { $0 = true } }
}

/// Notices when two are in it at once.
private final class Room: Sendable {
  private let state = Mutex((inside: 0, visits: 0))

  var visits: Int { state.withLock { $0.visits } }

  func enter() {
    let inside = state.withLock {
      $0.inside += 1
      $0.visits += 1
      return $0.inside
    }
    #expect(inside == 1)
  }

  func leave() { state.withLock { $0.inside -= 1 } }
}
