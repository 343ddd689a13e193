import AcctTestSupport
import Testing

/// What goes to a desktop's keyring first, as the kernel sees it.
@Suite("The first call to a keyring")
struct KeyringGreetingTests {
  @Test(
    "is a harmless one, and alone until it is answered",
    arguments: [["add", "--import", "-"], ["token"], ["status"], ["remove", "alice"]]
  )
  func greeting(arguments: [String]) async throws {
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    let home = try AcctHome(in: keyring)
    let credentials = """
      {"access_token":"made-up","token_type":"Bearer","expires_in":86400,
       "issuer":"https://issuer.example","origins":["https://pds.example"]}
      """
    try #require(
      try await home.acct("add", "--import", "-", "--name", "alice", input: credentials).status == 0
    )

    let folder = try TemporaryFolder()
    let log = "\(folder.path)/strace"
    let output = try await home.command(arguments, input: credentials)
      .traced("-f", "-e", "trace=sendto", "-s", "100000", "-o", log).run()
    #expect(output.status == 0, "\(output.errorText)")
    let name = "org.freedesktop.secrets"
    let sent = try await ChildProcess("grep", ["-F", name, log]).run().text.split(separator: "\n")
    // Each operation has a connection of its own, which begins by saying hello to the bus.
    let firsts = sent.filter { $0.contains("Hello") }
    #expect(!firsts.isEmpty)
    for first in firsts {
      #expect(first.ranges(of: name).count == 1 && first.contains("Collections"), "\(first)")
    }
  }
}
