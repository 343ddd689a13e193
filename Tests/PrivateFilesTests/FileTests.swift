import Glibc
import PrivateFiles
import Synchronization
import Testing

@Suite("Private files")
struct FileTests {
  let scratch: ScratchFolder
  let folder: PrivateFolder

  init() throws {
    scratch = try ScratchFolder()
    folder = PrivateFolder(at: scratch.path)
  }

  @Test(
    "The password of a file is its first line, however that ends",
    arguments: [
      ("word", "word"), ("word\n", "word"), ("word\r\n", "word"), ("word\r", "word"), ("two words \n", "two words "),
      ("word\nmore\n", "word"), ("", nil), ("\n", nil), ("\r\nword", nil), ("a\0b\n", nil),
    ] as [(String, String?)]
  )
  func firstLine(contents: String, expected: String?) throws {
    try scratch.write(contents, to: "password")
    let path = scratch.path(of: "password")
    #expect((try? Descriptor.firstLine(of: path, limit: 99)).map { String(decoding: $0, as: UTF8.self) } == expected)
    #expect(throws: FileError.self) { try Descriptor.firstLine(of: path, limit: contents.utf8.count - 1) }
  }

  @Test("A private file is not read through a link")
  func linkedFile() throws {
    try scratch.write("secret", to: "target")
    try scratch.link("a", to: "target")
    #expect(
      throws: PrivateFilesError.unsafe(path: scratch.path(of: "a"), reason: "it is a symbolic link")
    ) { try folder.read("a", limit: 99) }
  }

  @Test("A private file replaces a link when written, and the link's target stays unchanged")
  func replacedLink() throws {
    try scratch.write("theirs", to: "target")
    try scratch.link("a", to: "target")
    try folder.replace("a", Array("ours".utf8).span)
    #expect(scratch.text(of: "target") == "theirs")
    #expect(try folder.read("a", limit: 9) == Array("ours".utf8))
  }

  @Test("A private file is not written through a link planted at the temporary name")
  func plantedTemporary() throws {
    let predictable = PrivateFolder(at: scratch.path, suffix: { "1" })
    try scratch.write("theirs", to: "target")
    try scratch.link(".tmp-1", to: "target")
    #expect(throws: PrivateFilesError.self) { try predictable.replace("a", [1].span) }
    #expect(scratch.text(of: "target") == "theirs")
    #expect(scratch.mode(of: "a") == nil)
  }

  @Test("A file that already has a private file's temporary name is left unchanged")
  func occupiedTemporary() throws {
    let predictable = PrivateFolder(at: scratch.path, suffix: { "1" })
    try scratch.write("theirs", to: ".tmp-1")
    #expect(throws: PrivateFilesError.failed(path: scratch.path(of: "a"), reason: "file exists")) {
      try predictable.replace("a", [1].span)
    }
    #expect(scratch.text(of: ".tmp-1") == "theirs")
    #expect(scratch.mode(of: "a") == nil)
  }

  @Test("A private file that others can write is rejected", arguments: [0o620, 0o602, 0o666])
  func writableByOthers(mode: mode_t) throws {
    try scratch.write("x", to: "a", mode: mode)
    #expect(
      throws: PrivateFilesError.unsafe(
        path: scratch.path(of: "a"),
        reason: "its group or others can write to it: run `chmod go-w \(scratch.path(of: "a"))`"
      )
    ) { try folder.read("a", limit: 9) }
  }

  @Test("A private file that is not regular is rejected without waiting for a writer")
  func fifo() throws {
    try scratch.makeFIFO("a")
    try scratch.makeFolder("b")
    for name in ["a", "b"] {
      #expect(
        throws: PrivateFilesError.unsafe(path: scratch.path(of: name), reason: "it is not a regular file")
      ) { try folder.read(name, limit: 9) }
    }
  }

  @Test("A private file larger than the limit is rejected")
  func tooLarge() throws {
    try scratch.write("1234", to: "a")
    #expect(throws: PrivateFilesError.failed(path: scratch.path(of: "a"), reason: "file too large")) {
      try folder.read("a", limit: 3)
    }
  }

  @Test("A private file has mode 0600, whatever its predecessor had")
  func mode() throws {
    try scratch.write("old", to: "a", mode: 0o644)
    try folder.replace("a", [1].span)
    #expect(scratch.mode(of: "a") == 0o600)
  }

  @Test("A private file that can't be replaced stays, and no temporary file does")
  func failedReplacement() throws {
    try scratch.makeFolder("a")
    try scratch.write("inside", to: "a/b")
    #expect(throws: PrivateFilesError.self) { try folder.replace("a", [1].span) }
    #expect(scratch.entries() == ["a"])
    #expect(scratch.text(of: "a/b") == "inside")
  }

  @Test("A temporary file of a dead process is not listed and blocks nothing")
  func staleTemporary() throws {
    try scratch.write("half", to: ".tmp-0123456789abcdef")
    try folder.replace("a", [1].span)
    #expect(try folder.names() == ["a"])
  }

  @Test("A private file can be checked for writability without being written")
  func writable() throws {
    try folder.subfolder("sub").checkWritable(size: 4096)
    #expect(scratch.entries() == ["sub"])
    #expect(scratch.entries(of: "sub") == [])
  }

  @Test("A private file is always whole, however many processes replace it at once")
  func concurrentReplace() async throws {
    let contents = (0..<8).map { [UInt8](repeating: $0, count: 20_000 + Int($0)) }
    let first = contents[0]
    try folder.replace("a", first.span)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for content in contents {
        group.addTask {
          for _ in 0..<10 {
            try folder.replace("a", content.span)
            let seen = try #require(try folder.read("a", limit: 30_000))
            #expect(contents.contains(seen))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(scratch.entries() == ["a"])
  }
}
