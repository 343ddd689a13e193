import Glibc
import PrivateFiles
import Testing

@Suite("Private folders")
struct FolderTests {
  let scratch: ScratchFolder
  var folder: PrivateFolder { PrivateFolder(at: scratch.path(of: "base/acct")) }

  init() throws { scratch = try ScratchFolder() }

  @Test("Reading a private folder creates nothing")
  func lazy() throws {
    #expect(try folder.read("a", limit: 9) == nil)
    #expect(try folder.subfolder("sub").names() == [])
    try folder.remove("a")
    #expect(scratch.entries() == [])
  }

  @Test("The first write creates a private folder and its parents with mode 0700")
  func created() throws {
    try folder.subfolder("sub").replace("a", [1].span)
    for name in ["base", "base/acct", "base/acct/sub"] { #expect(scratch.mode(of: name) == 0o700) }
    #expect(scratch.mode(of: "base/acct/sub/a") == 0o600)
  }

  @Test("A private folder returns what was written last, and lists it")
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

  @Test("A private folder may be below links that belong to the user's own layout")
  func linkedParent() throws {
    try scratch.makeFolder("real")
    try scratch.link("base", to: scratch.path(of: "real"))
    try folder.replace("a", [1].span)
    #expect(scratch.mode(of: "real/acct/a") == 0o600)
  }

  @Test("A private folder that is its owner's link to their own folder is that folder, also below another one")
  func linkedFolder() throws {
    try scratch.makeFolder("base")
    try scratch.makeFolder("elsewhere")
    try scratch.link("base/acct", to: "../elsewhere")
    try folder.replace("a", [1].span)
    #expect(try folder.read("a", limit: 1) == [1])
    try scratch.makeFolder("kept")
    try scratch.link("elsewhere/sub", to: scratch.path(of: "kept"))
    try folder.subfolder("sub").replace("b", [2].span)
    #expect(try folder.subfolder("sub").names() == ["b"])
    #expect(scratch.entries(of: "elsewhere") == ["a", "sub"])
    #expect(scratch.entries(of: "kept") == ["b"])
  }

  @Test(
    "A private folder behind a link is rejected if others can write it or a folder on the way",
    arguments: [false, true]
  )
  func openBehindLink(isOnTheWay: Bool) throws {
    try scratch.makeFolder("base")
    try scratch.makeFolder("way")
    try scratch.makeFolder("way/end")
    try scratch.link("base/acct", to: scratch.path(of: "way/end"))
    let open = isOnTheWay ? "way" : "way/end"
    try #require(unsafe chmod(scratch.path(of: open), 0o770) == 0)
    let path = scratch.path(of: open)
    let refusal = PrivateFilesError.unsafe(
      path: scratch.path(of: "base/acct"),
      reason: "its group or others can write to the folder \(path): run `chmod go-w \(path)`"
    )
    #expect(throws: refusal) { try folder.replace("a", [1].span) }
    #expect(throws: refusal) { try folder.names() }
    #expect(scratch.entries(of: "way/end") == [])
  }

  @Test("A private folder that is another user's link, or leads to another user's folder, is rejected")
  func foreignLink() throws {
    try scratch.makeFolder("base")
    try scratch.makeFolder("elsewhere")
    let link = scratch.path(of: "base/acct")
    try scratch.link("base/acct", to: scratch.path(of: "elsewhere"))
    guard unsafe lchown(link, 12_345, 12_345) == 0 else { return }
    #expect(throws: PrivateFilesError.unsafe(path: link, reason: "the link \(link) belongs to another user")) {
      try folder.replace("a", [1].span)
    }
    try #require(unsafe lchown(link, geteuid(), getegid()) == 0)
    try #require(unsafe chown(scratch.path(of: "elsewhere"), 12_345, 12_345) == 0)
    #expect(throws: PrivateFilesError.self) { try folder.names() }
    #expect(scratch.entries(of: "elsewhere") == [])
  }

  @Test("A private folder with a link to nothing in place of a subfolder is rejected, and not made there")
  func danglingLink() throws {
    try folder.replace("a", [1].span)
    try scratch.link("base/acct/sub", to: scratch.path(of: "elsewhere"))
    let refusal = PrivateFilesError.unsafe(
      path: scratch.path(of: "base/acct/sub"),
      reason: "it is a link to a folder that does not exist"
    )
    #expect(throws: refusal) { try folder.subfolder("sub").replace("a", [1].span) }
    #expect(throws: refusal) { try folder.subfolder("sub").names() }
    #expect(scratch.mode(of: "elsewhere") == nil)
  }

  @Test("A private folder that others can write is rejected", arguments: [0o770, 0o707, 0o720, 0o1777])
  func writableByOthers(mode: mode_t) throws {
    try scratch.makeFolder("base")
    try scratch.makeFolder("base/acct", mode: mode)
    let refusal = PrivateFilesError.unsafe(
      path: scratch.path(of: "base/acct"),
      reason: "its group or others can write to it: run `chmod go-w \(scratch.path(of: "base/acct"))`"
    )
    #expect(throws: refusal) { try folder.replace("a", [1].span) }
    #expect(throws: refusal) { try folder.names() }
    #expect(scratch.mode(of: "base/acct") == mode)
  }

  @Test("A private folder is closed to others before a write, and unchanged by reading")
  func tightened() throws {
    try scratch.makeFolder("base")
    try scratch.makeFolder("base/acct", mode: 0o755)
    #expect(try folder.names() == [])
    #expect(scratch.mode(of: "base/acct") == 0o755)
    try folder.replace("a", [1].span)
    #expect(scratch.mode(of: "base/acct") == 0o700)
  }

  @Test("A private folder that belongs to another user is rejected")
  func foreignFolder() throws {
    // Root can give a folder away; any other user takes one that was never theirs.
    var path = "/usr"
    if geteuid() == 0 {
      path = try scratch.makeFolder("foreign")
      try scratch.giveAway("foreign")
    }
    #expect(throws: PrivateFilesError.unsafe(path: path, reason: "it belongs to another user")) {
      try PrivateFolder(at: path).names()
    }
  }

  @Test("A private folder's parent that can't be made is reported in the system's words")
  func blockedParent() throws {
    try scratch.write("", to: "base")
    #expect(
      throws: PrivateFilesError.failed(path: scratch.path(of: "base/"), reason: "not a directory")
    ) { try folder.replace("a", [1].span) }
  }

  @Test(
    "A name that leads out of a private folder is rejected",
    arguments: ["", ".", "..", "a/b", "/a", "a\0b", ".tmp-1"]
  )
  func names(name: String) {
    #expect(throws: PrivateFilesError.self) { try folder.replace(name, [1].span) }
    #expect(throws: PrivateFilesError.self) { try folder.read(name, limit: 1) }
    #expect(throws: PrivateFilesError.self) { try folder.remove(name) }
    #expect(throws: PrivateFilesError.self) { try folder.subfolder(name).replace("a", [1].span) }
    #expect(scratch.entries(of: "base").isSubset(of: ["acct"]))
    #expect(scratch.entries(of: "base/acct") == [])
  }
}
