import Glibc
import PrivateFiles
import Testing

@Suite("Files that any user may read")
struct PublishedFileTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func publish(_ path: String, _ text: String = "new") throws(PrivateFilesError) {
    try PrivateFiles.publish(path, Array(text.utf8).span)
  }

  private func expectUnsafe(_ path: String, _ reason: String) {
    let error = PrivateFilesError.unsafe(path: path, reason: reason)
    #expect(throws: error) { try publish(path) }
  }

  private let foreign = "it belongs to another user"

  @Test(
    "A published file can be read by any user, whatever the umask, and nothing lies beside it",
    arguments: [false, true]
  )
  func mode(isThere: Bool) throws {
    let before = umask(0o077)
    defer { umask(before) }
    let folder = try scratch.makeFolder("shared", mode: 0o1777)
    if isThere { try scratch.write("old", to: "shared/file", mode: 0o600) }
    try publish("\(folder)/file")
    #expect(scratch.text(of: "shared/file") == "new")
    #expect(scratch.mode(of: "shared/file") == 0o644)
    #expect(scratch.entries(of: "shared") == ["file"])
  }

  @Test(
    "A folder that others can write to is refused unless it is sticky, at any depth",
    arguments: [0o777, 0o775, 0o702]
  )
  func writableFolder(mode: mode_t) throws {
    for name in ["shared", "shared/inner"] { try scratch.makeFolder(name) }
    for name in ["shared", "shared/inner"] {
      let path = scratch.path(of: name)
      try #require(unsafe chmod(path, mode) == 0)
      expectUnsafe(
        scratch.path(of: "shared/inner/file"),
        "its group or others can write to the folder \(path): run `chmod go-w \(path)`"
      )
      #expect(scratch.entries(of: "shared/inner").isEmpty)
      try #require(unsafe chmod(path, mode | 0o1000) == 0)
      try publish(scratch.path(of: "shared/inner/file"))
      try scratch.delete("shared/inner/file")
    }
  }

  @Test("A folder of another user is refused at any depth, also a sticky one")
  func foreignFolder() throws {
    guard geteuid() == 0 else { return }
    for mode: mode_t in [0o755, 0o1777] {
      let top = try ScratchFolder()
      for name in ["theirs", "theirs/inner"] { try top.makeFolder(name, mode: mode) }
      try top.giveAway("theirs")
      for file in ["theirs/file", "theirs/inner/file"] {
        expectUnsafe(top.path(of: file), "the folder \(top.path(of: "theirs")) belongs to another user")
      }
      #expect(top.entries(of: "theirs") == ["inner"])
    }
  }

  @Test(
    "Links of the user's are followed on the way, relative and absolute ones, and a chain without an end is an error"
  )
  func links() throws {
    try scratch.makeFolder("a")
    try scratch.makeFolder("a/b")
    try scratch.link("absolute", to: scratch.path(of: "a/b"))
    try scratch.link("relative", to: "./a/../absolute")
    try publish(scratch.path(of: "relative/../b/file"))
    #expect(scratch.text(of: "a/b/file") == "new")
    try scratch.link("round", to: "round")
    let loop = PrivateFilesError.failed(
      path: scratch.path(of: "round/file"),
      reason: "too many levels of symbolic links"
    )
    #expect(throws: loop) { try publish(scratch.path(of: "round/file")) }
  }

  @Test("A link of another user's is not followed, also in a sticky folder")
  func foreignLink() throws {
    guard geteuid() == 0 else { return }
    try scratch.makeFolder("shared", mode: 0o1777)
    try scratch.makeFolder("own")
    try scratch.link("shared/link", to: scratch.path(of: "own"))
    let given = unsafe lchown(scratch.path(of: "shared/link"), 12_345, 12_345) == 0
    try #require(given)
    let link = scratch.path(of: "shared/link")
    expectUnsafe("\(link)/file", "the link \(link) belongs to another user")
    #expect(scratch.entries(of: "own").isEmpty)
  }

  @Test("A file or link of another user's at the name stays, and a link of the user's own is replaced, not followed")
  func taken() throws {
    try scratch.makeFolder("shared", mode: 0o1777)
    try scratch.write("key", to: "key")
    try scratch.link("shared/file", to: scratch.path(of: "key"))
    try publish(scratch.path(of: "shared/file"))
    #expect(scratch.text(of: "key") == "key" && scratch.mode(of: "key") == 0o600)
    #expect(scratch.mode(of: "shared/file") == 0o644)
    guard geteuid() == 0 else { return }
    try scratch.giveAway("shared/file")
    try scratch.link("shared/link", to: scratch.path(of: "key"))
    let given = unsafe lchown(scratch.path(of: "shared/link"), 12_345, 12_345) == 0
    try #require(given)
    for name in ["file", "link"] {
      expectUnsafe(scratch.path(of: "shared/\(name)"), foreign)
    }
    #expect(scratch.text(of: "key") == "key" && scratch.mode(of: "key") == 0o600)
    #expect(scratch.entries(of: "shared") == ["file", "link"])
  }

  @Test("A path that can be no file's, and a folder that is not there, are errors of the system's")
  func paths() throws {
    for path in ["\(scratch.path)/", "\(scratch.path)/..", ""] {
      #expect(throws: PrivateFilesError.failed(path: path, reason: "is a directory")) { try publish(path) }
    }
    let missing = PrivateFilesError.failed(path: scratch.path(of: "no/file"), reason: "no such file or directory")
    #expect(throws: missing) { try publish(scratch.path(of: "no/file")) }
    try scratch.write("", to: "plain")
    let plain = PrivateFilesError.failed(path: scratch.path(of: "plain/file"), reason: "not a directory")
    #expect(throws: plain) { try publish(scratch.path(of: "plain/file")) }
  }
}
