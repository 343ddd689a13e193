import AcctTestSupport
import Testing

/// ID tokens that many processes ask for at once, and accounts that move.
@Suite("An ID token in a crowd")
struct IDTokenCrowdTests {
  @Test("20 processes at once make one renewal for an ID token that is due, and print the new one")
  func crowd() async throws {
    let server = try await PythonServer("StrictServer/oidc_server.py")
    let home = try AcctHome()
    let added = try await home.importing(try server.address("import"))
    try #require(added.status == 0, "\(added.errorText)")
    let first = try await home.acct("token", "--id")
    try #require(first.status == 0, "\(first.errorText)")
    let crowd = try (0..<20).map { _ in try RunningProcess(home.command(["token", "--id", "--min-valid", "3000"])) }
    var printed: Set<[UInt8]> = []
    for process in crowd {
      let status = await process.ended(within: .seconds(120))
      #expect(status == 0, "\(String(decoding: process.standardError.contents(), as: UTF8.self))")
      printed.insert(process.standardOutput.contents())
    }
    #expect(printed.count == 1 && printed.first != first.standardOutput)
    #expect(server.output.split(separator: "\n").count { $0 == "refresh" } == 1, "\(server.output)")
  }
}
