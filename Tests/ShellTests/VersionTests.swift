import AcctCLI
import AcctConsole
import AcctTestSupport
import Testing

@Suite("The version") struct VersionTests {
  @Test("The command acct --version prints the program and its version")
  func program() async throws {
    let ended = try await ChildProcess(Product.executable("acct"), ["--version"]).run()
    #expect(ended.text == "acct \(version)\n")
    let parts = version.split(separator: ".", omittingEmptySubsequences: false)
    #expect(parts.count == 3 && parts.allSatisfy { UInt($0) != nil })
  }

  @Test("The changelog's newest release is this version, or this version is not released yet")
  func changelog() async throws {
    let text = try await ChildProcess("cat", [Product.source("CHANGELOG.md")]).run().text
    let headings = text.split(separator: "\n").filter { $0.hasPrefix("## [") }
      .compactMap { $0.dropFirst(4).split(separator: "]").first }
    let released = headings.filter { $0 != "Unreleased" }
    // A version that is not in the list is the next one: newer, and with something to say.
    if released.first.map(String.init) != version {
      #expect(headings.first == "Unreleased")
      #expect(released.first.map(numbers) ?? [] < numbers(version[...]))
    }
  }

  private func numbers(_ text: Substring) -> [UInt] { text.split(separator: ".").compactMap { UInt($0) } }
}

private func < (left: [UInt], right: [UInt]) -> Bool { left.lexicographicallyPrecedes(right) }
