import Glibc
import PrivateFiles
import Testing

@Suite("A private folder")
struct FolderTests {
  let scratch: ScratchFolder
  var folder: PrivateFolder { PrivateFolder(at: scratch.path(of: "base/acct")) }

  init() throws { scratch = try ScratchFolder() }

  @Test("creates nothing by being read")
  func lazy() throws {
    #expect(try folder.read("a", limit: 9) == nil)
    #expect(try folder.subfolder("sub").names() == [])
    try folder.remove("a")
    #expect(scratch.entries() == [])
  }

  @Test("is made with its parents, all of them 0700, by the first write")
  func created() throws {
    try folder.subfolder("sub").replace("a", [1].span)
    for name in ["base", "base/acct", "base/acct/sub"] { #expect(scratch.mode(of: name) == 0o700) }
    #expect(scratch.mode(of: "base/acct/sub/a") == 0o600)
  }

  @Test("gives back what was written last, and lists it")
  func roundTrip() throws {
    try folder.replace("a", Array("one".utf8).span)
    try folder.replace("a", Array("two, longer".utf8).span)
    let nothing: [UInt8] = []
    try folder.replace("b", nothing.span)
    #expect(try folder.read("a", limit: 11) == Array("two, longer".utf8))
    #expect(try folder.read("b", limit: 0) == [])
    #expect(Set(try folder.names()) == ["a", "b"])
    try folder.remove("a")
    try folder.remove("a")
    #expect(try folder.names() == ["b"])
  }

  @Test("may lie below links that belong to the user's own layout")
  func linkedParent() throws {
    try scratch.makeFolder("real")
    try scratch.link("base", to: scratch.path(of: "real"))
    try folder.replace("a", [1].span)
    #expect(scratch.mode(of: "real/acct/a") == 0o600)
  }

  @Test("is refused where it is itself a link, and nothing is written behind it")
  func linkedFolder() throws {
    try scratch.makeFolder("base")
    try scratch.makeFolder("elsewhere")
    try scratch.link("base/acct", to: scratch.path(of: "elsewhere"))
    let refusal = PrivateFilesError.unsafe(
      path: scratch.path(of: "base/acct"),
      reason: "it is a symbolic link"
    )
    #expect(throws: refusal) { try folder.replace("a", [1].span) }
    #expect(throws: refusal) { try folder.read("a", limit: 1) }
    #expect(throws: refusal) { try folder.subfolder("sub").names() }
    #expect(scratch.entries(of: "elsewhere") == [])
  }

  @Test("is refused where a folder inside it is a link that leads nowhere yet")
  func danglingLink() throws {
    try folder.replace("a", [1].span)
    try scratch.link("base/acct/sub", to: scratch.path(of: "elsewhere"))
    #expect(throws: PrivateFilesError.self) { try folder.subfolder("sub").replace("a", [1].span) }
    #expect(scratch.mode(of: "elsewhere") == nil)
  }

  @Test("is refused where others can write to it", arguments: [0o770, 0o707, 0o720, 0o1777])
  func writableByOthers(mode: mode_t) throws {
    try scratch.makeFolder("base")
    try scratch.makeFolder("base/acct", mode: mode)
    let refusal = PrivateFilesError.unsafe(
      path: scratch.path(of: "base/acct"),
      reason: "its group or others can write to it"
    )
    #expect(throws: refusal) { try folder.replace("a", [1].span) }
    #expect(throws: refusal) { try folder.names() }
    #expect(scratch.mode(of: "base/acct") == mode)
  }

  @Test("is closed to other readers before anything is written, and left alone by reading")
  func tightened() throws {
    try scratch.makeFolder("base")
    try scratch.makeFolder("base/acct", mode: 0o755)
    #expect(try folder.names() == [])
    #expect(scratch.mode(of: "base/acct") == 0o755)
    try folder.replace("a", [1].span)
    #expect(scratch.mode(of: "base/acct") == 0o700)
  }

  @Test("is refused where it belongs to somebody else")
  func foreignFolder() throws {
    // Root can give a folder away; everybody else finds one that was never theirs.
    var path = "/usr"
    if geteuid() == 0 {
      path = try scratch.makeFolder("foreign")
      try scratch.giveAway("foreign")
    }
    #expect(throws: PrivateFilesError.unsafe(path: path, reason: "it belongs to another user")) {
      try PrivateFolder(at: path).names()
    }
  }

  @Test("says in the system's words why a parent cannot be made")
  func blockedParent() throws {
    try scratch.write("", to: "base")
    #expect(
      throws: PrivateFilesError.failed(path: scratch.path(of: "base/"), reason: "not a directory")
    ) {
      try folder.replace("a", [1].span)
    }
  }

  @Test(
    "takes no name that leads out of it",
    arguments: ["", ".", "..", "a/b", "/a", "a\0b", ".tmp-1"]
  )
  func names(name: String) {
    #expect(throws: PrivateFilesError.self) { try folder.replace(name, [1].span) }
    #expect(throws: PrivateFilesError.self) { try folder.read(name, limit: 1) }
    #expect(throws: PrivateFilesError.self) { try folder.remove(name) }
    #expect(throws: PrivateFilesError.self) {
      try folder.subfolder(name).replace("a", [1].span)
    }
    #expect(scratch.entries(of: "base").isSubset(of: ["acct"]))
    #expect(scratch.entries(of: "base/acct") == [])
  }
}
