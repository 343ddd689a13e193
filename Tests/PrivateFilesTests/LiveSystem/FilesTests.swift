import AcctModel
import AcctPorts
import LiveSystem
import Synchronization
import Testing

@Suite("The live files")
struct LiveFilesTests {
  let scratch: ScratchFolder
  let files: Files
  let account: AccountID

  init() throws {
    let scratch = try ScratchFolder()
    self.scratch = scratch
    files = .live(Folders { $0 == "ACCT_HOME" ? scratch.path : nil })
    account = try AccountID("11111111-1111-4111-8111-111111111111")
  }

  @Test("The files of acct are in the documented places and nowhere else")
  func places() throws {
    let places: [(StoredFile, String)] = [
      (.account(account), "data/accounts/\(account).json"),
      (.active, "data/active"),
      (.deviceID, "data/device-id"),
      (.keyringDecision, "data/keyring"),
      (.directories, "state/directories.json"),
      (.removals, "data/removed.json"),
      (.nonce(try Origin("https://pds.example")), "run/nonces/https%3A%2F%2Fpds.example"),
      (.nonce(try Origin("http://[::1]:8080")), "run/nonces/http%3A%2F%2F%5B%3A%3A1%5D%3A8080"),
    ]
    for (file, path) in places {
      #expect(try files.read(file) == nil)
      try files.replace(file, Array(path.utf8))
      #expect(try files.read(file) == Array(path.utf8))
      #expect(scratch.text(of: path) == path)
      #expect(scratch.mode(of: path) == 0o600)
    }
    #expect(try files.accounts() == [account])
    for (file, path) in places {
      try files.remove(file)
      try files.remove(file)
      #expect(scratch.mode(of: path) == nil)
    }
    #expect(try files.accounts() == [])
  }

  @Test("The list of accounts ignores everything else beside them")
  func accounts() throws {
    try files.replace(.account(account), [])
    for name in ["notes.json", "\(account)", "\(account).json.bak", "\(account).JSON"] {
      try scratch.write("", to: "data/accounts/\(name)")
    }
    #expect(try files.accounts() == [account])
  }

  @Test("What an account's file that others can write contains can be told, and not that of a link")
  func inspect() throws {
    let path = scratch.path(of: "data/accounts/\(account).json")
    #expect(files.inspect(.account(account)).path == path)
    #expect(files.inspect(.account(account)).text == [])
    try files.replace(.account(account), Array("whole".utf8))
    try scratch.write("changed", to: "data/accounts/\(account).json", mode: 0o666)
    #expect(files.inspect(.account(account)).text == Array("changed".utf8))
    let reason = "its group or others can write to it: run `chmod go-w \(path)`"
    #expect(throws: FilesFailure.unsafe(path: path, reason: reason)) { try files.read(.account(account)) }
    try files.remove(.account(account))
    try scratch.write("elsewhere", to: "elsewhere")
    try scratch.link("data/accounts/\(account).json", to: scratch.path(of: "elsewhere"))
    #expect(files.inspect(.account(account)).text == [])
  }

  @Test("Account files are read in turn until enough, and a bad one hides no other")
  func eachAccount() throws {
    let ids = try (1...3).map { try AccountID("\($0)1111111-1111-4111-8111-111111111111") }
    for id in ids { try files.replace(.account(id), Array("\(id)".utf8)) }
    try scratch.write("", to: "data/accounts/notes.json")
    try scratch.makeFolder("elsewhere")
    let link = try AccountID("41111111-1111-4111-8111-111111111111")
    try scratch.link("data/accounts/\(link).json", to: scratch.path(of: "elsewhere"))

    let seen = Mutex<[AccountID: Result<[UInt8], FilesFailure>]>([:])
    try files.eachAccount { files in
      seen.withLock { seen in for (id, contents) in files { seen[id] = contents } }
      return true
    }
    var expected = Dictionary(
      uniqueKeysWithValues: ids.map { ($0, Result<_, FilesFailure>.success(Array("\($0)".utf8))) }
    )
    let place = scratch.path(of: "data/accounts/\(link).json")
    expected[link] = .failure(.unsafe(path: place, reason: "it is a symbolic link"))
    #expect(seen.withLock(\.self) == expected)

    let count = Mutex(0)
    try files.eachAccount { _ in
      count.withLock { count in
        count += 1
        return count < 2
      }
    }
    #expect(count.withLock(\.self) == 2)
  }

  @Test("The files of acct are rejected behind a link to no folder, and the error names the link")
  func links() throws {
    try scratch.makeFolder("data")
    try scratch.link("data/accounts", to: scratch.path(of: "elsewhere"))
    let reason = "it is a link to a folder that does not exist"
    #expect(throws: FilesFailure.unsafe(path: scratch.path(of: "data/accounts"), reason: reason)) {
      try files.replace(.account(account), [])
    }
  }

  @Test("Locks of one account exclude neither another account nor the book")
  func locks() async throws {
    let held = try await files.lock(.account(account), 0)
    let book = try await files.lock(.book, 0)
    #expect(scratch.entries(of: "state/locks") == ["account-\(account)", "book"])
    await #expect(throws: FilesFailure.busy) { try await files.lock(.account(account), 0) }
    held.release()
    try await files.lock(.account(account), 0).release()
    book.release()
    #expect(scratch.entries(of: "state/locks") == [])
  }
}
