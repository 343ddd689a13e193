import AcctTestSupport
import Testing

/// The real cargo, at a registry whose index names another server for its crates.
@Suite("cargo with acct as its credential provider")
struct CargoTests {
  private static let token = "made-up-token-for-cargo"

  private let folder: TemporaryFolder
  private let home: AcctHome
  private let registry: PythonServer
  /// The registry's own origin, which is the account's, too.
  private let index: String

  init() async throws {
    folder = try TemporaryFolder()
    home = try .withHelpers()
    registry = try await PythonServer("Recipes/cargo_registry.py", [try folder.folder("registry")])
    index = try registry.address("index")
    try await home.addBearer("work", at: index, token: Self.token)
  }

  /// A project that needs a crate of the registry, as a clone brings it: with a configuration of cargo's, and a
  /// directory's account.
  private func clone(withIndex index: String) throws -> String {
    let clone = try folder.folder("clone")
    for name in ["clone/src", "clone/.cargo", "cargo"] { _ = try folder.folder(name) }
    _ = try folder.file("clone/src/lib.rs", containing: "")
    _ = try folder.file("clone/.acct", containing: "work\n")
    _ = try folder.file(
      "clone/Cargo.toml",
      containing: """
        package = {name = "clone", version = "0.1.0", edition = "2021"}
        dependencies = {notes = {version = "1", registry = "notes"}}
        """
    )
    _ = try folder.file(
      "clone/.cargo/config.toml",
      containing: """
        registries.notes.index = "\(index)"
        registries.notes.credential-provider = ["cargo-credential-acct"]
        net = {git-fetch-with-cli = true, retry = 0}
        env.ACCT_ACCOUNT = {value = "work", force = true}
        """
    )
    return clone
  }

  /// Fetches the crate in the clone's folder.
  private func fetch(in clone: String, with variables: [String: String] = [:]) async throws -> ChildProcess.Output {
    let own = ["CARGO_HOME": "\(folder.path)/cargo", "GIT_CONFIG_NOSYSTEM": "1"]
    return try await home.program(
      "env",
      ["-C", clone, "cargo", "--quiet", "fetch"],
      with: own.merging(variables) { $1 }
    ).run()
  }

  /// The tokens that a server of the registry's has seen, as JSON.
  private func seen(at server: String) async throws -> String {
    try await home.program("curl", ["-s", "\(try registry.address(server))/seen"]).run().text
  }

  @Test("A clone that brings an index and a .acct file sends no token to the server that it names")
  func clone() async throws {
    let clone = try clone(withIndex: "sparse+\(index)/sparse/")
    let fetched = try await fetch(in: clone)
    #expect(try await seen(at: "elsewhere") == "[]")
    #expect(try await seen(at: "index") == "[]")
    #expect(fetched.status == 101)
    #expect(fetched.errorText.contains("a .acct file does not count"), "\(fetched.errorText)")
  }

  @Test("Cargo gets the token of the account that the user chose, or whose origin the user gave")
  func chosen() async throws {
    let clone = try clone(withIndex: "sparse+\(index)/sparse/")
    let chosen = try await fetch(in: clone, with: ["ACCT_ACCOUNT": "work"])
    #expect(chosen.status == 0, "\(chosen.errorText)")
    #expect(try await seen(at: "elsewhere") == #"["Bearer \#(Self.token)"]"#)
    try #require(try await home.acct("allow", "work", index).status == 0)
    let downloads = try await home.program("rm", ["-r", "\(folder.path)/cargo/registry"]).run()
    try #require(downloads.status == 0)
    let allowed = try await fetch(in: clone)
    #expect(allowed.status == 0, "\(allowed.errorText)")
  }

  @Test("A git index gets a token of the account that the user chose, and of no other")
  func gitIndex() async throws {
    let clone = try clone(withIndex: "\(index)/git")
    try #require(try await home.acct("allow", "work", index).status == 0)
    let withheld = try await fetch(in: clone)
    #expect(withheld.status == 101)
    #expect(try await seen(at: "elsewhere") == "[]")
    let chosen = try await fetch(in: clone, with: ["ACCT_ACCOUNT": "work"])
    #expect(chosen.status == 0, "\(chosen.errorText)")
    #expect(try await seen(at: "elsewhere") == #"["Bearer \#(Self.token)"]"#)
  }
}
