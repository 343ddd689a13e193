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

  @Test("A change of an account, or of the choice of keyring, is told of at once")
  func told() throws {
    let file = "home/data/accounts/\(account).json"
    #expect(try isTold { try files.replace(.account(account), [1]) })
    #expect(try isTold { try scratch.write("x", to: file) })
    #expect(try isTold { unsafe chmod(scratch.path(of: file), 0o666) })
    #expect(try isTold { try files.remove(.account(account)) })
    #expect(try isTold { try files.replace(.keyringDecision, []) })
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

  @Test("Another folder in the place of acct's, or of one above it, is told of, and watched")
  func exchanged() throws {
    try scratch.makeFolder("other")
    try scratch.makeFolder("other/data")
    try scratch.makeFolder("other/data/accounts")
    let isTold = try isTold {
      move("home", to: "old")
      move("other", to: "home")
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

  @Test("More changes than the kernel keeps are told of, and those after them")
  func overflow() throws {
    let isTold = try isTold {
      for number in 0..<10_000 {
        try scratch.write("", to: "home/data/accounts/\(number % 2)")
        try scratch.delete("home/data/accounts/\(number % 2)")
      }
    }
    #expect(isTold)
    #expect(try self.isTold { try files.replace(.account(account), [3]) })
  }
}
