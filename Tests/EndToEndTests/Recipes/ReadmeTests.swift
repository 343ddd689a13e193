import AcctTestSupport
import Testing

@Suite("README.md")
struct ReadmeTests {
  @Test("The README names `make demo` and `make test` in its first screen")
  func firstScreen() async throws {
    let readme = try await ChildProcess("head", ["-n", "24", Product.source("README.md")]).run()
    for command in ["`make demo`", "`make test`"] {
      #expect(readme.text.contains(command), "\(command)")
    }
  }
}
