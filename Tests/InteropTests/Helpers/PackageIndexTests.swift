import AcctTestSupport
import Testing

@Suite("pip with acct in place of keyring")
struct PackageIndexTests {
  private let folder: TemporaryFolder
  private let home: AcctHome

  init() throws {
    folder = try TemporaryFolder()
    home = try AcctHome()
  }

  /// Downloads the package `notes`, with nothing configured but the provider of passwords.
  private func download(from index: String) async throws -> ChildProcess.Output {
    try await home.program(
      Product.source(".build/venv/bin/python"),
      [
        "-m", "pip", "--isolated", "--disable-pip-version-check", "--no-cache-dir", "--no-input", "download", "--quiet",
        "--no-deps", "--keyring-provider", "subprocess", "--index-url", index, "--dest", folder.path, "notes",
      ]
    ).run()
  }

  /// Whether the package is there.
  private func isDownloaded() async throws -> Bool {
    let name = "\(folder.path)/notes-1.0-py3-none-any.whl"
    return try await ChildProcess("test", ["-s", name]).run().status == 0
  }

  @Test("A download shows the index the password of the account with its origin")
  func download() async throws {
    let server = try await PythonServer("Recipes/index_server.py", ["alice", "made-up-password"])
    let origin = try server.address("origin")
    try await home.addPassword("packages", of: "alice", at: origin, "made-up-password")
    let downloaded = try await download(from: "\(origin)/simple/")
    #expect(downloaded.status == 0, "\(downloaded.errorText)")
    #expect(try await isDownloaded())
  }

  @Test("An index that is not an account's own gets no password")
  func otherIndex() async throws {
    let server = try await PythonServer("Recipes/index_server.py", ["alice", "made-up-password"])
    let origin = try server.address("origin")
    try await home.addPassword("packages", of: "alice", at: "https://other.example", "made-up-password")
    #expect(try await download(from: "\(origin)/simple/").status != 0)
    #expect(try await !isDownloaded())
  }
}
