import AcctModel
import AcctPorts
import Glibc
import LiveSystem
import Secrets
import Testing

@Suite("Files of other programs, where they are")
struct ForeignFilesTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  @Test("A file is read up to its limit, links followed; the mode says whether others can read it")
  func reading() throws {
    let files = ForeignFiles.live(MemoryFolders { _ in nil }) { _ in nil }
    let path = try scratch.write("secret", to: "own", mode: 0o600)
    try scratch.link("link", to: path)
    #expect(try files.read(scratch.path(of: "link"), 6).secret == Secret("secret"))
    #expect(try files.read(path, 6).isExposed == false)
    for mode: UInt32 in [0o640, 0o604] {
      #expect(try files.read(scratch.write("secret", to: "open", mode: mode), 6).isExposed)
    }
    let open = try scratch.write("secret", to: "open", mode: 0o622)
    let reason = "its group or others can write to it"
    #expect(throws: SecretFileFailure.exposed(path: open, reason: reason, chmod: "chmod go-w \(open)")) {
      try files.read(open, 6)
    }
    #expect(throws: SecretFileFailure.failed(path: path, reason: "file too large")) { try files.read(path, 5) }
    #expect(Set(files.names(scratch.path)).isSuperset(of: ["own", "link", "open"]))
    #expect(files.names(scratch.path(of: "none")) == [])
  }

  @Test("What is missing, no regular file, or another user's is not read")
  func refused() throws {
    let files = ForeignFiles.live(MemoryFolders { _ in nil }) { _ in nil }
    let missing = scratch.path(of: "missing")
    #expect(throws: SecretFileFailure.missing(path: missing)) { try files.read(missing, 10) }
    try scratch.makeFIFO("fifo")
    for (name, reason) in [("fifo", "it is not a regular file"), ("", "it is not a regular file")] {
      let path = scratch.path(of: name)
      #expect(throws: SecretFileFailure.failed(path: path, reason: reason)) { try files.read(path, 10) }
    }
    let theirs = try scratch.write("secret", to: "theirs", mode: 0o644)
    guard geteuid() == 0 else { return }
    try scratch.giveAway("theirs")
    #expect(throws: SecretFileFailure.failed(path: theirs, reason: "it belongs to another user")) {
      try files.read(theirs, 10)
    }
  }
}
