import Secrets
import AcctPorts
import Glibc
import LiveSystem
import Testing

@Suite("The live secret files")
struct LiveSecretFilesTests {
  let scratch: ScratchFolder
  let files = SecretFiles.live()

  init() throws { scratch = try ScratchFolder() }

  @Test("A secret file is its owner's alone, whatever the umask, with no other file beside it")
  func write() throws {
    let mask = umask(0)
    defer { umask(mask) }
    try files.write(scratch.path(of: "out"), Secret("one"), false)
    #expect(scratch.text(of: "out") == "one")
    #expect(scratch.mode(of: "out") == 0o600)
    #expect(try scratch.names() == ["out"])
    #expect(try files.read(scratch.path(of: "out"), 10, .input) == Secret("one"))
  }

  @Test("A secret file is replaced only on request", arguments: ["file", "link", "dangling link"])
  func replace(kind: String) throws {
    switch kind {
    case "file": try scratch.write("old", to: "out", mode: 0o644)
    case "link":
      try scratch.write("old", to: "target")
      try scratch.link("out", to: "target")
    default: try scratch.link("out", to: "nowhere")
    }
    #expect(files.exists(scratch.path(of: "out")))
    #expect(throws: SecretFileFailure.exists(path: scratch.path(of: "out"))) {
      try files.write(scratch.path(of: "out"), Secret("new"), false)
    }
    guard kind == "file" else {
      // What a link leads to is not what was named.
      #expect(throws: SecretFileFailure.self) { try files.write(scratch.path(of: "out"), Secret("new"), true) }
      return
    }
    try files.write(scratch.path(of: "out"), Secret("new"), true)
    #expect(scratch.text(of: "out") == "new")
    #expect(scratch.mode(of: "out") == 0o600)
    #expect(try scratch.names() == ["out"])
  }

  @Test(
    "A secret file that is not there, or can't be, is missing",
    arguments: ["none", "none/out", "file/out", String(repeating: "a", count: 300)]
  )
  func missing(name: String) throws {
    try scratch.write("one", to: "file", mode: 0o600)
    #expect(throws: SecretFileFailure.missing(path: scratch.path(of: name))) {
      try files.read(scratch.path(of: name), 10, .input)
    }
  }

  @Test("A secret file is not written at an impossible path", arguments: ["", "folder", "none/out", "folder/"])
  func nowhere(name: String) throws {
    try scratch.makeFolder("folder")
    #expect(throws: SecretFileFailure.self) { try files.write(scratch.path(of: name), Secret("new"), true) }
    #expect(try scratch.names() == ["folder"])
  }

  @Test("A secret file that others can read or write is rejected", arguments: [0o640, 0o604, 0o620, 0o602] as [mode_t])
  func open(mode: mode_t) throws {
    try scratch.write("secret", to: "in", mode: mode)
    let path = scratch.path(of: "in")
    let reason = "its group or others can read or write it"
    #expect(throws: SecretFileFailure.exposed(path: path, reason: reason, chmod: "chmod 600 \(path)")) {
      try files.read(path, 10, .input)
    }
  }

  @Test("A secret file is a regular file of limited size")
  func readable() throws {
    try scratch.write("secret", to: "in")
    #expect(throws: SecretFileFailure.self) { try files.read(scratch.path(of: "in"), 5, .input) }
    #expect(throws: SecretFileFailure.self) { try files.read(scratch.path(of: "none"), 5, .input) }
    try scratch.link("link", to: scratch.path(of: "in"))
    #expect(try files.read(scratch.path(of: "link"), 6, .input) == Secret("secret"))
    #expect(files.isRegular(scratch.path(of: "link")))
  }

  @Test(
    "A FIFO that every command would wait for is rejected",
    arguments: [SecretFiles.Role.setting, .credential, .token]
  )
  func fifo(role: SecretFiles.Role) throws {
    try scratch.makeFIFO("fifo")
    let path = scratch.path(of: "fifo")
    #expect(throws: SecretFileFailure.failed(path: path, reason: "it is not a regular file")) {
      try files.read(path, 6, role)
    }
    #expect(!files.isRegular(path) && !files.isRegular(scratch.path(of: "none")))
  }
}

extension ScratchFolder {
  /// What is in it, sorted.
  fileprivate func names() throws -> [String] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
