import AcctModel
import AcctPorts
import LiveSystem
import PrivateFiles
import Testing

@Suite("The live maintenance of folders")
struct FolderMaintenanceTests {
  let scratch: ScratchFolder
  let maintenance: FolderMaintenance

  init() throws {
    let scratch = try ScratchFolder()
    self.scratch = scratch
    maintenance = .live(
      Folders { $0 == "ACCT_HOME" ? scratch.path(of: "home") : nil },
      MemoryFolders { _ in nil }
    )
  }

  private func surveyed(_ name: String) throws -> SurveyedFile? {
    try maintenance.survey().first { $0.path == scratch.path(of: "home/\(name)") }
  }

  @Test("The survey of a missing folder is empty")
  func nothing() throws { #expect(try maintenance.survey().isEmpty) }

  @Test("The survey lists each file and folder with its mode and its purpose")
  func survey() throws {
    for folder in [
      "home", "home/data", "home/data/accounts", "home/run", "home/run/nonces",
      "home/run/identities", "home/state", "home/state/locks",
    ] { try scratch.makeFolder(folder) }
    let id = try AccountID("11111111-1111-4111-8111-111111111111")
    let roles: [(String, SurveyedFile.Role)] = [
      ("data/active", .other), ("data/accounts/.tmp-1f", .temporary), ("run/nonces/a", .hint),
      ("run/identities/b", .hint), ("run/nonces/.tmp-2", .temporary), ("state/locks/book", .lock(.book)),
      ("state/locks/account-\(id)", .lock(.account(id))), ("state/locks/other", .other), ("data/book", .other),
    ]
    for (name, _) in roles { try scratch.write("", to: "home/\(name)", mode: 0o640) }
    for (name, role) in roles {
      let file = try #require(try surveyed(name))
      #expect(file.role == role, "\(name)")
      #expect(file.kind == .regular && file.mode == 0o640 && file.isOwn)
      #expect(abs(file.modifiedAt.seconds(since: Clock.live().now())) < 60)
    }
    #expect(try maintenance.survey().count == roles.count + 8)
  }

  @Test("The survey follows links to the user's own folders alone, and shows the owner of a file")
  func untrusted() throws {
    for folder in ["home", "home/state", "elsewhere"] { try scratch.makeFolder(folder) }
    try scratch.write("", to: "elsewhere/file")
    try scratch.link("home/data", to: scratch.path(of: "elsewhere/file"))
    try scratch.link("home/state/limits", to: scratch.path(of: "elsewhere"))
    try scratch.write("", to: "home/theirs")
    try scratch.giveAway("home/theirs")
    try scratch.makeFIFO("home/fifo")
    #expect(try surveyed("data")?.kind == .link)
    #expect(try surveyed("theirs")?.isOwn == false)
    #expect(try surveyed("fifo")?.kind == .other)
    #expect(try surveyed("state/limits")?.kind == .folder)
    #expect(try surveyed("state/limits/file")?.kind == .regular)
    #expect(try maintenance.survey().count == 7)
  }

  @Test("A link that is none of acct's folders is listed as a link, and nothing behind it is")
  func foreignLinks() throws {
    for folder in ["home", "home/data", "home/config", "documents", "documents/vault"] {
      try scratch.makeFolder(folder, mode: 0o755)
    }
    try scratch.write("", to: "documents/letter", mode: 0o644)
    let names = ["data/backup", "data/letters", "config/providers"]
    for name in names { try scratch.link("home/\(name)", to: scratch.path(of: "documents")) }
    try scratch.link("documents/vault/vault", to: "..")
    for name in names { #expect(try surveyed(name)?.kind == .link, "\(name)") }
    #expect(try maintenance.survey().count == 6)
  }

  @Test("Behind a link the files of a folder have its name, and their purpose, and are mended by that")
  func purposes() throws {
    for folder in ["home", "home/state", "kept"] { try scratch.makeFolder(folder) }
    try scratch.link("home/state/locks", to: scratch.path(of: "kept"))
    try scratch.write("", to: "kept/book", mode: 0o644)
    try scratch.write("", to: "kept/.tmp-1")
    let lock = try #require(try surveyed("state/locks/book"))
    #expect(lock.role == .lock(.book))
    try maintenance.close(lock)
    #expect(scratch.mode(of: "kept/book") == 0o600)
    try maintenance.discard(try #require(try surveyed("state/locks/.tmp-1")))
    #expect(scratch.entries(of: "kept") == ["book"])
  }

  @Test("Closing a file changes the user's own one, and nothing behind a link")
  func close() throws {
    try scratch.makeFolder("home", mode: 0o755)
    try scratch.write("", to: "home/file", mode: 0o664)
    try scratch.write("", to: "target", mode: 0o664)
    try scratch.link("home/link", to: scratch.path(of: "target"))
    for file in try maintenance.survey() where file.kind != .link { try maintenance.close(file) }
    #expect(scratch.mode(of: "home") == 0o700)
    #expect(scratch.mode(of: "home/file") == 0o600)
    let link = try #require(try surveyed("link"))
    #expect(throws: FilesFailure.self) { try maintenance.close(link) }
    #expect(scratch.mode(of: "target") == 0o664)
  }

  @Test("Discarding deletes a file only if it is still the one in the survey")
  func discard() throws {
    try scratch.makeFolder("home")
    try scratch.write("", to: "home/.tmp-1")
    var file = try #require(try surveyed(".tmp-1"))
    file.modifiedAt = file.modifiedAt.adding(seconds: -1)
    try maintenance.discard(file)
    #expect(try surveyed(".tmp-1") != nil)
    try maintenance.discard(try #require(try surveyed(".tmp-1")))
    #expect(try surveyed(".tmp-1") == nil)
    try maintenance.discard(file)
  }
}
