import AcctPorts
import LiveSystem
import Testing

/// Descriptions of servers that an administrator brings, on a real disk.
@Suite("Descriptions of servers for all users")
struct SystemProvidersTests {
  private let folder: ScratchFolder
  private let files: ProviderFiles

  init() throws {
    let folder = try ScratchFolder()
    self.folder = folder
    let (first, second) = (folder.path(of: "first"), folder.path(of: "second"))
    let environment = [
      "HOME": folder.path, "XDG_CONFIG_HOME": folder.path(of: "own"), "XDG_CONFIG_DIRS": "\(first):relative:\(second)",
    ]
    files = .live(Folders { environment[$0] })
    for place in ["first", "second", "own"] {
      for part in [place, "\(place)/acct", "\(place)/acct/providers"] { try folder.makeFolder(part, mode: 0o700) }
    }
    for (place, name, text) in [
      ("first", "work", "1"), ("second", "work", "2"), ("second", "team", "3"), ("own", "team", "4"),
    ] {
      try folder.write(text, to: "\(place)/acct/providers/\(name).json")
    }
  }

  @Test("The user's file counts before the administrator's, and the first folder's before the second's")
  func order() throws {
    #expect(try Set(files.names()).isSuperset(of: ["work", "team"]))
    #expect(try files.read("work")?.bytes == Array("1".utf8))
    #expect(try files.read("work")?.path == "\(folder.path)/first/acct/providers/work.json")
    #expect(try files.read("team")?.bytes == Array("4".utf8))
    #expect(try files.read("none") == nil)
  }

  @Test("A file that others can write is refused with its path, and nothing takes its place")
  func unsafe() throws {
    try folder.write("{}", to: "first/acct/providers/work.json", mode: 0o666)
    let path = folder.path(of: "first/acct/providers/work.json")
    let reason = "its group or others can write to it: run `chmod go-w \(path)`"
    #expect(throws: FilesFailure.unsafe(path: path, reason: reason)) {
      try files.read("work")
    }
  }
}
