import AcctPorts
import Glibc
import LiveSystem
import Testing

@Suite("The live environment")
struct LiveEnvironmentTests {
  @Test("An empty environment variable counts as not set")
  func variables() {
    let environment = ProcessEnvironment.live()
    #expect(environment.variable("PATH") != nil)
    #expect(environment.variable("ACCT_SURELY_NOT_SET") == nil)
    unsafe setenv("ACCT_TEST_EMPTY", "", 1)
    #expect(environment.variable("ACCT_TEST_EMPTY") == nil)
  }

  @Test("The .acct files are found upward, nearest first, and used only if they are the user's alone")
  func directoryFiles() throws {
    let scratch = try ScratchFolder()
    var deep = ""
    var expected: [DirectoryFile] = []
    func level(_ name: String, _ make: (_ file: String) throws -> DirectoryFile?) throws {
      deep += deep.isEmpty ? name : "/\(name)"
      try scratch.makeFolder(deep)
      if let file = try make("\(deep)/.acct") { expected.insert(file, at: 0) }
    }
    func ignored(_ file: String, _ reason: String) -> DirectoryFile {
      .ignored(path: scratch.path(of: file), reason: reason)
    }
    func unusable(_ file: String, _ reason: String) -> DirectoryFile {
      .unusable(path: scratch.path(of: file), reason: reason)
    }
    try level("a") { file in
      try scratch.write("  work \r\n\r\nat home\n", to: file, mode: 0o644)
      return .trusted(path: scratch.path(of: file), names: ["work", "at home"])
    }
    try level("b") { _ in nil }
    try level("c") { file in
      try scratch.write("theirs", to: file, mode: 0o664)
      return unusable(file, "its group or others can write to it: run `chmod go-w \(scratch.path(of: file))`")
    }
    try level("d") { file in
      try scratch.link(file, to: "../.acct")
      return ignored(file, "it is a symbolic link")
    }
    try level("e") { file in
      try scratch.makeFIFO(file)
      return ignored(file, "it is not a regular file")
    }
    try level("f") { file in
      try scratch.write(String(repeating: "x", count: 4097), to: file)
      return unusable(file, "file too large")
    }
    try level("g") { file in
      try scratch.write(" \nname", to: file)
      return unusable(file, "its first line is empty")
    }
    try level("k") { file in
      try scratch.write(String(repeating: "n\n", count: 33), to: file)
      return unusable(file, "it has 33 names; 32 are the most")
    }
    try level("h") { file in
      try scratch.makeFolder(file)
      return unusable(file, "it is a folder")
    }
    try level("j") { file in
      try scratch.link(file, to: "nothing")
      return unusable(file, "it is a link to nothing")
    }
    try level("i") { file in
      try scratch.write(String(repeating: "x", count: 4096), to: file)
      return .trusted(path: scratch.path(of: file), names: [String(repeating: "x", count: 4096)])
    }
    let found = ProcessEnvironment.directoryFiles(from: scratch.path(of: deep))
    #expect(found.prefix(expected.count) == expected[...])
  }
}
