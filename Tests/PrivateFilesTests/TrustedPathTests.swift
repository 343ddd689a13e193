import Glibc
import PrivateFiles
import Testing

@Suite("Files that acct obeys")
struct TrustedPathTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func text(_ path: String, _ rule: FileRule) throws(FileError) -> String {
    String(decoding: try Descriptor.trustedBytes(path, rule, limit: 99), as: UTF8.self)
  }

  private func exposed(_ reason: String, _ mode: String, _ path: String) -> FileError {
    .exposed(reason: reason, chmod: "chmod \(mode) \(path)")
  }

  @Test(
    "A file of the user's own is obeyed by its mode",
    arguments: [
      (.genuine, 0o644, true), (.genuine, 0o664, false), (.genuine, 0o602, false),
      (.input, 0o644, true), (.input, 0o620, false), (.own, 0o644, true), (.own, 0o606, false),
      (.program, 0o755, true), (.program, 0o775, false),
      (.secret, 0o600, true), (.secret, 0o400, true), (.secret, 0o640, false), (.secret, 0o604, false),
      (.credential, 0o440, true), (.credential, 0o460, false), (.credential, 0o404, false),
    ] as [(FileRule, mode_t, Bool)]
  )
  func modes(rule: FileRule, mode: mode_t, isObeyed: Bool) throws {
    let path = try scratch.write("text", to: "file", mode: mode)
    guard !isObeyed else {
      _ = try Descriptor.trusted(path, rule)
      return
    }
    let isSecret = mode & 0o022 == 0 || rule == .credential
    #expect(
      throws: isSecret
        ? exposed("its group or others can read or write it", "600", path)
        : exposed("its group or others can write to it", "go-w", path)
    ) { try text(path, rule) }
  }

  @Test(
    "Each folder up to the root is one that others can't write, or is sticky",
    arguments: [FileRule.genuine, .secret]
  )
  func folders(rule: FileRule) throws {
    for name in ["a", "a/b c"] { try scratch.makeFolder(name) }
    let path = try scratch.write("text", to: "a/b c/file")
    #expect(try text(path, rule) == "text")
    let inner = scratch.path(of: "a/b c")
    unsafe chmod(inner, 0o777)
    #expect(throws: exposed("its group or others can write to the folder \(inner)", "go-w", "'\(inner)'")) {
      try text(path, rule)
    }
    unsafe chmod(inner, 0o1777)
    #expect(try text(path, rule) == "text")
    let outer = scratch.path(of: "a")
    unsafe chmod(outer, 0o720)
    #expect(throws: exposed("its group or others can write to the folder \(outer)", "go-w", outer)) {
      try text(path, rule)
    }
    // No way round it.
    #expect(throws: FileError.self) { try text(scratch.path(of: "a/../a/b c/./file"), rule) }
    #expect(throws: FileError.self) { try Descriptor.trustedNames(in: inner) }
  }

  @Test("A link counts as the folder that it lies in, and where it leads is looked at in the same way")
  func links() throws {
    for name in ["own", "open"] { try scratch.makeFolder(name) }
    try scratch.write("text", to: "own/file")
    try scratch.link("own/link", to: "file")
    try scratch.link("open/link", to: scratch.path(of: "own/file"))
    try scratch.link("folder", to: "own")
    try scratch.link("own/up", to: "../open/link")
    for name in ["own/link", "open/link", "folder/file", "folder/link", "own/up", "folder/../own/file"] {
      #expect(try text(scratch.path(of: name), .secret) == "text", "\(name)")
    }
    unsafe chmod(scratch.path(of: "open"), 0o777)
    for name in ["open/link", "own/up"] {
      #expect(throws: FileError.self, "\(name)") { try text(scratch.path(of: name), .secret) }
    }
    // Which of two files it leads to is another's choice; the way through it is none.
    #expect(try text(scratch.path(of: "own/file"), .secret) == "text")
    try scratch.link("loop", to: "loop")
    #expect(throws: FileError.system(ELOOP)) { try text(scratch.path(of: "loop"), .secret) }
    try scratch.link("dangling", to: "nothing")
    #expect(throws: FileError.notThere) { try text(scratch.path(of: "dangling"), .secret) }
  }

  @Test("A file, a folder or a link of another user is not obeyed, also where others can't write it")
  func foreign() throws {
    guard geteuid() == 0 else { return }
    for name in ["theirs", "own"] { try scratch.makeFolder(name) }
    try scratch.write("text", to: "theirs/file")
    try scratch.write("text", to: "own/file")
    try scratch.link("link", to: "own/file")
    let given = unsafe lchown(scratch.path(of: "link"), 12_345, 12_345) == 0
    try #require(given)
    try scratch.giveAway("theirs")
    for (name, subject) in [
      ("theirs/file", "the folder \(scratch.path(of: "theirs"))"), ("link", "the link \(scratch.path(of: "link"))"),
    ] {
      #expect(throws: FileError.distrusted(reason: "\(subject) belongs to another user"), "\(name)") {
        try text(scratch.path(of: name), .genuine)
      }
    }
    try scratch.giveAway("own/file")
    for rule in [FileRule.genuine, .input, .program, .own, .secret, .credential] {
      #expect(throws: FileError.distrusted(reason: "it belongs to another user"), "\(rule)") {
        try text(scratch.path(of: "own/file"), rule)
      }
    }
    #expect(try text(scratch.path(of: "own/file"), .foreign) == "text")
    unsafe chmod(scratch.path(of: "own/file"), 0o622)
    #expect(throws: FileError.self) { try text(scratch.path(of: "own/file"), .foreign) }
  }

  @Test(
    "A FIFO is an input and nothing else, and waits for what is written",
    arguments: [FileRule.input, .secretInput]
  )
  func fifo(input: FileRule) async throws {
    try scratch.makeFIFO("fifo")
    let path = scratch.path(of: "fifo")
    for rule in [FileRule.genuine, .program, .own, .secret, .credential] {
      #expect(throws: FileError.distrusted(reason: "it is not a regular file"), "\(rule)") { try text(path, rule) }
    }
    async let read = onDedicatedThread(orThrow: FileError.notThere) { () throws(FileError) in try text(path, input) }
    let writer = try openFile(path, O_WRONLY)
    try writeAll(Array("text".utf8).span, to: writer)
    close(writer)
    #expect(try await read == "text")
  }

  @Test("A FIFO that others can open is not read for a secret by its descriptor either")
  func openFIFO() throws {
    try scratch.makeFIFO("fifo")
    try #require(unsafe chmod(scratch.path(of: "fifo"), 0o666) == 0)
    let fifo = try openFile(scratch.path(of: "fifo"), O_RDWR)
    defer { close(fifo) }
    let path = "/proc/\(getpid())/fd/\(fifo)"
    #expect(throws: exposed("its group or others can read or write it", "600", path)) {
      _ = try Descriptor.trusted("/dev/fd/\(fifo)", .secretInput)
    }
    try #require(unsafe chmod(scratch.path(of: "fifo"), 0o600) == 0)
    _ = try Descriptor.trusted("/dev/fd/\(fifo)", .secretInput)
  }

  @Test("What the caller has opened is read as it is given", arguments: [FileRule.genuine, .input, .secret])
  func descriptors(rule: FileRule) throws {
    var ends: [Int32] = [-1, -1]
    let made = unsafe pipe(&ends) == 0
    try #require(made)
    try writeAll(Array("text".utf8).span, to: ends[1])
    close(ends[1])
    #expect(try text("/dev/fd/\(ends[0])", rule) == "text")
    close(ends[0])
    // A file by its descriptor is that file; as an input it is what standard input would be.
    let file = try openFile(try scratch.write("text", to: "open", mode: 0o666), O_RDONLY)
    defer { close(file) }
    if rule == .input {
      #expect(try text("/proc/self/fd/\(file)", rule) == "text")
    } else {
      #expect(throws: FileError.self) { try text("/proc/self/fd/\(file)", rule) }
    }
  }

  @Test("A relative path begins at the working directory, and a folder is no file")
  func relative() throws {
    #expect(throws: FileError.notThere) { try text("", .genuine) }
    #expect(throws: FileError.notThere) { try text("no-such-file", .genuine) }
    for path in ["/", ".", "..", scratch.path] {
      #expect(throws: FileError.distrusted(reason: "it is not a regular file"), "\(path)") { try text(path, .genuine) }
    }
    #expect(throws: FileError.system(ENOTDIR)) { try text("\(try scratch.write("", to: "file"))/more", .genuine) }
  }
}
