import AcctTestSupport
import Testing

@Suite("rclone with a command of acct's for its token")
struct WebDAVTests {
  private static let token = "made-up-token-for-files"

  /// rclone with the recipe's settings, at this server.
  private func rclone(_ home: AcctHome, at origin: String, _ arguments: String...) async throws -> ChildProcess.Output {
    let folder = try TemporaryFolder()
    let recipe = try await ChildProcess(
      "sed",
      ["s|^url = .*|url = \(origin)/dav|", Product.source("Examples/programs/rclone.conf")]
    ).run().text
    let settings = try folder.file("rclone.conf", containing: recipe)
    let options = ["--config", settings, "--retries", "1", "--low-level-retries", "1"]
    return try await home.program("rclone", options + arguments).run()
  }

  @Test("rclone lists and reads the files of a WebDAV server that wants the account's token")
  func list() async throws {
    let server = try await PythonServer("Recipes/webdav_server.py", [Self.token])
    let origin = try server.address("origin")
    let home = try AcctHome()
    try await home.addBearer("files", at: origin, token: Self.token)
    let listed = try await rclone(home, at: origin, "ls", "files:")
    #expect(listed.status == 0, "\(listed.errorText)")
    #expect(listed.text == "       18 note.txt\n")
    #expect(
      try await rclone(home, at: origin, "cat", "files:note.txt").text == "a note of alice's\n"
    )
  }

  @Test("rclone sends nothing without an account")
  func none() async throws {
    let server = try await PythonServer("Recipes/webdav_server.py", [Self.token])
    let listed = try await rclone(try AcctHome(), at: try server.address("origin"), "ls", "files:")
    #expect(listed.status != 0)
    #expect(listed.errorText.contains("bearer token"), "\(listed.errorText)")
  }
}
