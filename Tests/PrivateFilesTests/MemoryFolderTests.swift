import Glibc
import PrivateFiles
import Synchronization
import Testing

@Suite("Folders in memory")
struct MemoryFolderTests {
  /// In memory, and of this test's own: sweeps of other tests don't come here.
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder(in: "/dev/shm") }

  @Test("The folder is the user's alone, locked, and gone when it is removed, with all that is in it")
  func made() throws {
    let folder = try MemoryFolder(in: scratch.path)
    #expect(folder.path == scratch.path(of: folder.name))
    #expect(scratch.mode(of: folder.name) == 0o700)
    for index in 0..<200 { try scratch.write("secret", to: "\(folder.name)/a-name-that-is-rather-long-\(index)") }
    try scratch.makeFolder("\(folder.name)/inner")
    try scratch.write("secret", to: "\(folder.name)/inner/file")
    try scratch.link("\(folder.name)/link", to: scratch.path)
    #expect(MemoryFolder.sweep(scratch.path) == 0)
    folder.remove()
    #expect(scratch.entries().isEmpty)
  }

  @Test("A folder that is not in memory is refused, also where a trusted one is")
  func disk() throws {
    let refused = PrivateFilesError.unsafe(path: "/proc", reason: "it is not in memory (tmpfs)")
    #expect(throws: refused) { try MemoryFolder(in: "/proc") }
    #expect(MemoryFolder.sweep("/proc") == 0)
  }

  @Test("A place of another user, and one that others can write to and is not sticky, is refused")
  func untrusted() throws {
    let place = try scratch.makeFolder("place", mode: 0o777)
    let refused = PrivateFilesError.unsafe(
      path: place,
      reason: "its group or others can write to the folder \(place): run `chmod go-w \(place)`"
    )
    #expect(throws: refused) { try MemoryFolder(in: place) }
    try #require(unsafe chmod(place, 0o1777) == 0)
    try MemoryFolder(in: place).remove()
    guard geteuid() == 0 else { return }
    try scratch.giveAway("place")
    let foreign = PrivateFilesError.unsafe(path: place, reason: "the folder \(place) belongs to another user")
    #expect(throws: foreign) { try MemoryFolder(in: place) }
    #expect(scratch.entries(of: "place").isEmpty)
  }

  @Test("A sweep deletes the folders that no process locks, and nothing else")
  func sweep() throws {
    let held = try MemoryFolder(in: scratch.path)
    let left = "acct-secrets-0123456789abcdef"
    let others = [
      "acct-secrets-0123456789abcde", "acct-secrets-0123456789abcdeg", "acct-secrets-0123456789ABCDEF", "acct-1",
      "other",
    ]
    for name in [left] + others {
      try scratch.makeFolder(name)
      try scratch.write("secret", to: "\(name)/token")
    }
    try scratch.write("", to: "acct-secrets-1111111111111111")
    try scratch.link("acct-secrets-2222222222222222", to: scratch.path(of: "other"))
    var kept = Set(others + [held.name, "acct-secrets-1111111111111111", "acct-secrets-2222222222222222"])
    if geteuid() == 0 {
      let theirs = "acct-secrets-3333333333333333"
      try scratch.makeFolder(theirs)
      try scratch.giveAway(theirs)
      kept.insert(theirs)
    }
    #expect(MemoryFolder.sweep(scratch.path) == 1)
    #expect(scratch.entries() == kept)
    #expect(scratch.text(of: "other/token") == "secret")
    #expect(MemoryFolder.sweep(scratch.path) == 0)
  }

  @Test("A folder is never swept while it is being made or used")
  func crowd() throws {
    let ends = Atomic(0)
    let lost = Atomic(0)
    withWorkerThreads(3) {
      // Two make folders, and two sweep until these have ended.
      guard ends.add(1, ordering: .relaxed).newValue <= 2 else {
        while ends.load(ordering: .relaxed) < 100 { _ = MemoryFolder.sweep(scratch.path) }
        return
      }
      for _ in 0..<1000 {
        do {
          let folder = try MemoryFolder(in: scratch.path)
          try scratch.write("secret", to: "\(folder.name)/token")
          if scratch.text(of: "\(folder.name)/token") != "secret" { lost.add(1, ordering: .relaxed) }
          folder.remove()
        } catch {
          lost.add(1, ordering: .relaxed)
        }
      }
      ends.add(100, ordering: .relaxed)
    }
    #expect(lost.load(ordering: .relaxed) == 0)
    #expect(scratch.entries().isEmpty)
  }
}
