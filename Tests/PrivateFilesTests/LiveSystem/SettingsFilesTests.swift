import AcctModel
import AcctPorts
import Glibc
import LiveSystem
import Secrets
import Testing

@Suite("Settings of other programs, changed in place")
struct SettingsFilesTests {
  private let scratch: ScratchFolder
  private let memory: ScratchFolder
  private let files: SettingsFiles

  init() throws {
    scratch = try ScratchFolder()
    let memory = try ScratchFolder(in: "/dev/shm")
    self.memory = memory
    let variables: @Sendable (String) -> String? = { $0 == "XDG_RUNTIME_DIR" ? memory.path : nil }
    files = ForeignFiles.live(MemoryFolders(variables), variables).settings
  }

  private func replace(_ path: String, _ text: String?, isProgram: Bool = false) throws {
    let file = try files.read(path, 100)
    try files.replace(file, text.map { Secret($0) }, isProgram, file.missingFolders)
  }

  private func mode(_ path: String) -> UInt32? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_mode : nil
  }

  @Test("A file keeps its mode, and a link to it stays a link")
  func kept() throws {
    for mode: mode_t in [0o600, 0o644, 0o755] {
      let path = try scratch.write("old", to: "own", mode: mode)
      unsafe unlink(scratch.path(of: "link"))
      try scratch.link("link", to: path)
      try replace(scratch.path(of: "link"), "new")
      #expect(try files.read(path, 100).contents == Secret("new"))
      #expect(self.mode(path) == S_IFREG | mode)
      #expect(self.mode(scratch.path(of: "link")).map { $0 & S_IFMT } == S_IFLNK)
    }
    // Nothing lies beside it.
    #expect(
      Set(ForeignFiles.live(MemoryFolders { _ in nil }) { _ in nil }.names(scratch.path)) == ["own", "link"]
    )
  }

  @Test("A read-only file is read, and told as one, also behind a link")
  func readOnly() throws {
    for (mode, obstacle) in [(0o444, SettingsFile.Obstacle.readOnly), (0o600, nil)]
      as [(mode_t, SettingsFile.Obstacle?)]
    {
      let path = try scratch.write("text", to: "own-\(mode)", mode: mode)
      try scratch.link("link-\(mode)", to: path)
      let file = try files.read(scratch.path(of: "link-\(mode)"), 100)
      #expect(file.contents == Secret("text") && file.obstacle == obstacle)
    }
  }

  @Test("A new file is the user's alone unless it is a program, with the folders that it needs, which go with it")
  func made() throws {
    let path = scratch.path(of: "a/b/file")
    let file = try files.read(path, 100)
    #expect(file.contents == nil && file.missingFolders == [scratch.path(of: "a"), scratch.path(of: "a/b")])
    try files.replace(file, Secret("new"), false, file.missingFolders)
    #expect(mode(path) == S_IFREG | 0o600)
    #expect(mode(scratch.path(of: "a")) == S_IFDIR | 0o700)
    try replace(scratch.path(of: "a/program"), "new", isProgram: true)
    #expect(mode(scratch.path(of: "a/program")) == S_IFREG | 0o755)
    try files.replace(try files.read(path, 100), nil, false, file.missingFolders)
    // One that has something else stays.
    #expect(mode(scratch.path(of: "a/b")) == nil)
    #expect(mode(scratch.path(of: "a")) != nil)
  }

  @Test("A file that has changed since it was read is not replaced")
  func changed() throws {
    let path = try scratch.write("old", to: "file")
    let missing = scratch.path(of: "missing")
    for (place, text) in [(path, "new"), (path, "older"), (path, ""), (missing, "there")] {
      try scratch.write("old", to: "file")
      let file = try files.read(place, 100)
      try scratch.write(text, to: String(place.dropFirst(scratch.path.utf8.count + 1)))
      #expect(throws: SettingsFileFailure.changed(path: place)) { try files.replace(file, Secret("x"), false, []) }
      #expect(try files.read(place, 100).contents == Secret(text))
    }
    let file = try files.read(path, 100)
    unsafe unlink(path)
    #expect(throws: SettingsFileFailure.changed(path: path)) { try files.replace(file, Secret("x"), false, []) }
  }

  @Test("What others can write, no regular file, and a link that leads nowhere are not touched")
  func distrusted() throws {
    for mode: mode_t in [0o660, 0o602] {
      let path = try scratch.write("theirs", to: "open", mode: mode)
      let reason = "its group or others can write to it: run `chmod go-w \(path)`"
      let failure = SettingsFileFailure.distrusted(path: path, reason: reason)
      #expect(throws: failure) { try files.read(path, 100) }
    }
    try scratch.makeFIFO("fifo")
    let fifo = scratch.path(of: "fifo")
    #expect(throws: SettingsFileFailure.distrusted(path: fifo, reason: "it is not a regular file")) {
      try files.read(fifo, 100)
    }
    try scratch.link("dangling", to: scratch.path(of: "none"))
    let link = scratch.path(of: "dangling")
    #expect(throws: SettingsFileFailure.distrusted(path: link, reason: "it is a link to no file")) {
      try files.read(link, 100)
    }
    let long = try scratch.write("12345", to: "long")
    #expect(throws: SettingsFileFailure.failed(path: long, reason: "file too large")) { try files.read(long, 4) }
  }

  @Test("Another user's file is read, told as theirs, and not replaced")
  func foreign() throws {
    guard geteuid() == 0 else { return }
    let path = try scratch.write("text", to: "theirs")
    let own = try files.read(path, 100)
    for (user, name) in [(12_345, "12345"), (1, "daemon")] as [(uid_t, String)] {
      let given = unsafe chown(path, user, 0) == 0
      try #require(given)
      let file = try files.read(path, 100)
      #expect(file.contents == Secret("text") && file.obstacle == .otherUser(name))
      #expect(throws: SettingsFileFailure.changed(path: path)) { try files.replace(own, Secret("new"), false, []) }
      #expect(try files.read(path, 100).contents == Secret("text"))
    }
  }

  @Test("Copies lie in one folder in memory, and all of them are removed")
  func copies() throws {
    for name in ["settings", "pip/pip.conf"] {
      let path = try files.copy(name, Secret("text"))
      let folder = try #require(memory.entries().first)
      #expect(path == memory.path(of: "\(folder)/\(name)"))
      #expect(mode(path) == S_IFREG | 0o600)
      #expect(memory.mode(of: folder) == 0o700)
      #expect(try files.readCopy(name) == Secret("text"))
    }
    #expect(memory.entries().count == 1)
    files.removeCopies()
    #expect(memory.entries().isEmpty)
  }
}
