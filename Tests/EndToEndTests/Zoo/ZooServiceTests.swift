import Testing

@Suite("Servers of the zoo: apps, clouds, people's own servers and those of tools")
struct ZooServiceTests {
  @Test("acct makes of a server's answers what its file says", arguments: ZooFile.names.filter(ZooFile.isService))
  func play(_ name: String) async throws { try await ZooPlay.run(name) }
}
