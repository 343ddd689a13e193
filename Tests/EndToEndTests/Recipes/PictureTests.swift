import AcctTestSupport
import Testing

/// `Documentation/screen.svg`, which `Documentation/screen.py` draws from a terminal.
@Suite("The picture of the README")
struct PictureTests {
  @Test("The picture of the README shows what acct prints today; `make picture` draws it anew")
  func current() async throws {
    let folder = try TemporaryFolder()
    var environment = ChildProcess.plainEnvironment
    // Leaves no compiled files in the source tree.
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    let drawn = try await ChildProcess(
      Product.source(".build/venv/bin/python"),
      [Product.source("Documentation/screen.py"), Product.executable("acct"), "\(folder.path)/screen.svg"],
      environment: environment
    ).run()
    try #require(drawn.status == 0, "\(drawn.errorText)")
    let compared = try await ChildProcess(
      "diff",
      ["-u", Product.source("Documentation/screen.svg"), "\(folder.path)/screen.svg"]
    ).run()
    #expect(compared.status == 0, "\(compared.text)")
  }
}
