import AcctModel
import AcctPorts
import Glibc
import LiveSystem
import Testing

@Suite("The watch of acct's files")
struct FileChangesTests {
  let scratch: ScratchFolder
  let files: Files
  let account: AccountID

  init() throws {
    let scratch = try ScratchFolder()
    self.scratch = scratch
    files = .live(Folders { $0 == "ACCT_HOME" ? "\(scratch.path)/home" : nil })
    account = try AccountID("11111111-1111-4111-8111-111111111111")
    try files.replace(.account(account), [])
  }

  /// Whether something is told of, once.
  private func isTold<Result>(_ action: () throws -> Result) throws -> Bool {
    let before = try #require(files.changes())
    try #require(files.changes() == before)
    _ = try action()
    let after = files.changes()
    #expect(files.changes() == after)
    return after != before
  }

  private func move(_ name: String, to other: String) {
    #expect(unsafe rename(scratch.path(of: name), scratch.path(of: other)) == 0)
  }

  /// The same files, as another process that begins to watch them.
  private var others: Files {
    let path = scratch.path
    return .live(Folders { $0 == "ACCT_HOME" ? "\(path)/home" : nil })
  }

  @Test("A change of an account, or of the choice of keyring, is told of at once")
  func told() throws {
    let file = "home/data/accounts/\(account).json"
    #expect(try isTold { try files.replace(.account(account), [1]) })
    #expect(try isTold { try scratch.write("x", to: file) })
    #expect(try isTold { unsafe chmod(scratch.path(of: file), 0o666) })
    #expect(try isTold { try files.remove(.account(account)) })
    #expect(try isTold { try files.replace(.keyringDecision, []) })
  }

  @Test("A file that comes from another folder or goes there is told of, and one that is still open for writing")
  func moved() throws {
    let file = "home/data/accounts/\(account).json"
    #expect(try isTold { move(file, to: "elsewhere") })
    #expect(try isTold { move("elsewhere", to: file) })
    let descriptor = unsafe open(scratch.path(of: file), O_WRONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    #expect(try isTold { unsafe Glibc.write(descriptor, [1], 1) })
  }

  @Test("A vault that is made, changed or exchanged since the watch began is told of")
  func vault() throws {
    for _ in 1...2 {
      #expect(try isTold { try scratch.makeFolder("home/data/vault") })
      #expect(try isTold { try scratch.write("x", to: "home/data/vault/header") })
      #expect(try isTold { try scratch.delete("home/data/vault/header") })
      #expect(try isTold { unsafe rmdir(scratch.path(of: "home/data/vault")) })
    }
  }

  @Test("A vault that is made after other changes that nothing has looked at is watched")
  func vaultAmongOthers() throws {
    let isTold = try isTold {
      for number: UInt8 in 1...3 { try files.replace(.account(account), [number]) }
      #expect(unsafe mkdir(scratch.path(of: "home/data/vault"), 0o700) == 0)
    }
    #expect(isTold)
    #expect(try self.isTold { try scratch.write("x", to: "home/data/vault/header") })
  }

  @Test("What is no folder in the place of the vault can't be watched")
  func noVault() throws {
    try scratch.write("x", to: "home/data/vault")
    #expect(others.changes() == nil)
  }

  @Test("A folder that is a link can't be watched", arguments: ["", "/data", "/data/accounts", "/data/vault"])
  func linked(_ folder: String) throws {
    try scratch.makeFolder("home/data/vault")
    #expect(others.changes() != nil)
    move("home\(folder)", to: "kept")
    try scratch.link("home\(folder)", to: scratch.path(of: "kept"))
    #expect(others.changes() == nil)
  }

  @Test("Reading, and what is learned from each answer, is no change")
  func untold() throws {
    let origin = try Origin("https://a.example")
    let isTold = try isTold {
      _ = try files.read(.account(account))
      _ = try files.accounts()
      try files.replace(.nonce(origin), [1])
      try files.replace(.limits(account), [1])
    }
    #expect(!isTold)
  }

  @Test(
    "Another folder in the place of acct's, or of one above it, is told of, and watched",
    arguments: ["", "/data", "/data/accounts"]
  )
  func exchanged(_ folder: String) throws {
    try scratch.makeFolder("other")
    try scratch.makeFolder("other/data")
    try scratch.makeFolder("other/data/accounts")
    let isTold = try isTold {
      move("home\(folder)", to: "old")
      move("other\(folder)", to: "home\(folder)")
    }
    #expect(isTold)
    #expect(try self.isTold { try files.replace(.account(account), [2]) })
  }

  @Test("Without a folder of accounts there is no mark")
  func missing() throws {
    let path = scratch.path
    #expect(Files.live(Folders { $0 == "ACCT_HOME" ? "\(path)/none" : nil }).changes() == nil)
    _ = files.changes()
    move("home", to: "old")
    #expect(files.changes() == nil)
  }

  @Test("A folder of accounts that has come back is watched again", .timeLimit(.minutes(1)))
  func back() async throws {
    let before = try #require(files.changes())
    move("home", to: "old")
    #expect(files.changes() == nil)
    move("old", to: "home")
    // A failure is not repeated within a second.
    while files.changes() == nil, !Task.isCancelled { await Task.yield() }
    #expect(files.changes() != before)
    #expect(try isTold { try files.replace(.account(account), [4]) })
  }

  @Test("More changes than the kernel keeps are told of, and those after them")
  func overflow() throws {
    let isTold = try isTold {
      for number in 0..<10_000 {
        try scratch.write("", to: "home/data/accounts/\(number % 2)")
        try scratch.delete("home/data/accounts/\(number % 2)")
      }
      try scratch.makeFolder("home/data/vault")
    }
    #expect(isTold)
    #expect(try self.isTold { try scratch.write("x", to: "home/data/vault/header") })
    #expect(try self.isTold { try files.replace(.account(account), [3]) })
  }
}
